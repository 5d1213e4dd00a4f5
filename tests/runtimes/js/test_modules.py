"""import and export: what a module's statements mean here, and that they move nothing."""

from __future__ import annotations

import pytest

from langserver.core.outcome import ErrorKind
from tests.runtimes.js.driver import Broken

GIVEN = {"n": 20}

EXPORTED = {
    "default function": ("export default function (inputs) { return inputs.n; }", 20),
    "default function with a name": ("export default function run(inputs) { return inputs.n + run.length; }", 21),
    "default async function": ("export default async function ({ n }) { return n; }", 20),
    "default arrow": ("export default ({ n }) => n + 1", 21),
    "default async arrow": ("export default async ({ n }) => n + 1;", 21),
    "default expression": ("export default inputs.n * 2", 40),
    "default without a space": ("export default[1, 2]", [1, 2]),
    "default with a comment": ("export/* the */default/* result */{ a: 1 }", {"a": 1}),
    "default on its own line": ("export\ndefault\n  'x'", "x"),
    "default in brackets": ("export default (function () { return 1 })", 1),
    "default called at once": ("export default (() => 7)()", 7),
    "default undefined": ("export default undefined", None),
    "default object with main": ("export default { k: 2, main(i) { return i.n + this.k } }", 22),
    "default promise": ("export default Promise.resolve(4)", 4),
    "default is hoisted": ("const a = run(); function f() {}\nexport default function run() { return 3; }", 3),
    "function goes on in no call": ("export default function () { return 1 }\n(function () { throw 1 })", 1),
    "class goes on in no call": ("const A = 1\nexport { A as default }\n[1].map((x) => x)", 1),
    "list": ("const a = 1, b = 2\nexport { a, b as c }\n(0)", {"a": 1, "c": 2}),
    "list, default": ("function f() { return 5 }\nexport { f as default }", 5),
    "list, string name": ("const a = 1; export { a as 'b c' }", {"b c": 1}),
    "empty list": ("export {};\nfunction main() { return 6; }", 6),
    "const": (
        "export const a = inputs.n, { b, c: [d = 4, ...e] } = { b: 1, c: [] };",
        {"a": 20, "b": 1, "d": 4, "e": []},
    ),
    "let is read at the end": ("export let a = 1; a = 2;", {"a": 2}),
    "main": ("export function main({ n }) { return n }", 20),
    "main by another name": ("const f = ({ n }) => n;\nexport { f as main };", 20),
    "main that is not exported": ("export const unit = 3;\nfunction main({ n }) { return n * unit }", 60),
    "default wins over main": ("export default 1; export function main() { return 2 }", 1),
    "default wins over module.exports": ("module.exports = 2; export default 1;", 1),
    "module.exports in a module": ("export {}; module.exports = 2;", 2),
    "await": ("const c = await 2;\nexport default ({ n }) => n * c;", 40),
    "await of a call": ("const c = await (async () => 2)();\nexport default ({ n }) => n * c;", 40),
    "await, list": ("const c = await 2;\nexport { c }", {"c": 2}),
    "await, main": ("const c = await 2;\nexport const unit = 1;\nfunction main({ n }) { return n * c + unit }", 41),
    "await, main is exported": ("const c = await 2;\nexport async function main({ n }) { return n * c }", 40),
    "await, default is a value": ("export default await Promise.resolve(3)", 3),
    "for await": ("let n = 0; for await (const x of [1, 2]) n += x;\nexport default n", 3),
    "return beside an export": ("export const a = 1;\nif (inputs.n) return 'early';", "early"),
    "strict": ("export default (function () { return this === undefined })()", True),
    "the name that is used inside": (
        "const $default = 1, $default1 = 2;\nexport default () => $default + $default1",
        3,
    ),
    "a comment at the end": ("export default 1 // it ends here", 1),
    "hashbang": ("#!/usr/bin/env node\nexport default 1", 1),
    "carriage returns": ("export const a = 1\r\nexport default\r\n  a", 1),
    "line separators": ("export const a = 1\u2028export default\u2029 a", 1),
    "html comment is none": ("export default (x => x)(1)\n/* --> */", 1),
}


@pytest.mark.parametrize("name", EXPORTED)
def test_exported(js, name):
    source, expected = EXPORTED[name]
    assert js.run(source, GIVEN).value == expected


# Each fails at the ↓, which is taken out.
PLACES = {
    "default function": "export default function () { null.↓x }",
    "default function, named": "export default function f() { null.↓x }",
    "default async function": "export default async function () {\n  await 1; null.↓x }",
    "default arrow": "export default () => null.↓x",
    "default arrow on its own line": "export\n  default ()\t=> null.↓x",
    "default without a space": "export default(() => null.↓x)",
    "default class": "export default class { static a = null.↓x }",
    "default class that extends": "export default class\n extends Object { static a = null.↓x }",
    "behind a function": "export default function () {} null.↓x",
    "behind a list": "const a = 1; export { a }; null.↓x",
    "list over lines": "const a = 1;\nexport {\n  a\n  }; null.↓x",
    "const": "export const a = null.↓x",
    "after await": "const a = await 1; export const b = null.↓x",
    "default after await": "const a = await 1;\nexport default () => null.↓x",
    "carriage returns": "export const a = 1\r\nexport default\r\n  () => null.↓x",
    "line separator": "// a\u2028b\nexport default () => null.↓x".replace("b\n", "\n"),
    "tabs": "export {\t}; \tnull.↓x",
}


@pytest.mark.parametrize("name", PLACES)
def test_nothing_moves(js, name):
    before = PLACES[name].partition("↓")[0]
    lines = before.replace("\r\n", "\n").replace("\u2028", "\n").split("\n")
    ended = js.run(PLACES[name].replace("↓", ""))
    failure = ended.failure
    assert (failure.type, failure.line, failure.column) == ("TypeError", len(lines), len(lines[-1]) + 1)
    assert (
        failure.traceback.split("\n")[1].endswith(f"node.js:{failure.line}:{failure.column}")
        or f"(node.js:{failure.line}:{failure.column})" in failure.traceback
    )


def test_a_function_without_a_name_is_called_default(js):
    source = "export default () => {\n  console.log(new Error('x').stack);\n  null.x;\n}"
    ended = js.run(source)
    assert ended.failure.traceback.split("\n")[1] == "    at default (node.js:3:8)"
    assert ended.logs == [("log", "Error: x"), ("log", "    at default (node.js:2:15)")]


BROKEN = {
    "behind an import": Broken("import a from 'b';\nlet x = ;", "Unexpected token ';'", 2, 9),
    "in an export": Broken("export const = 1", "Unexpected token '='", 1, 14),
    "export of nothing": Broken("export { x }", "Export 'x' is not defined", 1, 10),
    "exported twice": Broken("export default 1; export default 2", "Duplicate export 'default'", 1, 26),
    "declared twice": Broken("export {}; let a; let a;", "Identifier 'a' has already been declared", 1, 23),
    "import inside": Broken(
        "function f() { import a from 'b' }",
        "'import' and 'export' may only appear at the top level",
        1,
        16,
    ),
    "strict": Broken("export {}; with (a) {}", "'with' in strict mode", 1, 12),
    "escaped keyword": Broken("\\u0065xport default 1", None, 1, 1),
    "early end": Broken("export default function () {", "Unexpected end of input", 1, 29),
    "100,000 brackets": Broken("export default " + "(" * 100_000, "the source is nested too deeply", 0, 0),
    "1 MB of brackets": Broken("return " + "(" * 1_000_000, "the source is nested too deeply", 0, 0),
    "too deep for the parser alone": Broken(
        "export default " + "[" * 3000 + "]" * 3000,
        "the source is nested too deeply",
        0,
        0,
    ),
}


@pytest.mark.parametrize("mode", ["run", "validate"])
@pytest.mark.parametrize("name", BROKEN)
def test_broken(js, name, mode):
    BROKEN[name].check(js.run(BROKEN[name].source, mode=mode).failure)


def test_a_refused_import_says_what_there_is(js):
    ended = js.run("console.log(1);\nimport fs, { readFile } from 'node:fs';\nimport 'no-such';")
    failure = ended.failure
    assert (failure.kind, failure.line, failure.column) == (ErrorKind.POLICY_VIOLATION, 2, 1)
    assert '"node:fs"' in failure.message
    assert failure.hint
    assert failure.traceback.endswith("\nimport fs, { readFile } from 'node:fs';\n^")
    assert ended.logs == []


def test_a_module_cannot_reach_what_reads_its_exports(js):
    # The reader at a body's end is text of ours; a program that returns the same text has written it itself.
    source = 'const a = await 1;\nexport { a };\nreturn () => ({ __proto__: null, "a": 5 });'
    assert js.run(source).failure.kind is ErrorKind.INVALID_RESULT


NOT_CALLABLE = {
    "function* main() { yield 1; }": ("main is a generator function", 1, 1),
    "\n  async function* main() { yield 1; }": ("main is a generator function", 2, 9),
    "class main {}": ("main is a class", 1, 1),
    "export default class {}": ("the exported function is a class", 1, 16),
    "export default function* () { yield 1; }": ("the exported function is a generator function", 1, 16),
    "module.exports = class A {};": ("the exported function is a class", 1, 18),
    "exports.main = function* () {};": ("the exported main is a generator function", 1, 16),
}


@pytest.mark.parametrize("source", NOT_CALLABLE)
def test_what_gives_no_result_when_called_is_told(js, source):
    what, line, column = NOT_CALLABLE[source]
    failure = js.run(source).failure
    assert (failure.kind, failure.line, failure.column) == (ErrorKind.USER_ERROR, line, column)
    assert failure.message.startswith(what)
    assert failure.hint


@pytest.mark.parametrize("source", ["({ classify() { return 1; } }).classify", "({ class() { return 1; } }).class"])
def test_a_function_whose_text_begins_like_a_class_is_called(js, source):
    assert js.run(f"module.exports = {source};").value == 1


HASH = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # SHA-256 of abc
IMPORTED = {
    "name": (
        "import { createHash } from 'crypto';\nexport default () => createHash('sha256').update('abc').digest('hex');",
        HASH,
    ),
    "node:": (
        "import { createHash as h } from 'node:crypto';\nreturn h('sha256').update('abc').digest('hex');",
        HASH,
    ),
    "default": ("import crypto from 'crypto';\nfunction main() { return typeof crypto.createHash; }", "function"),
    "default by its name": ("import { default as c } from 'crypto';\nvar result = typeof c.createHash;", "function"),
    "all": ("import * as c from 'crypto';\ntypeof c.createHash", "function"),
    "default and names": (
        "import path, { join as j, basename } from 'node:path';\n[path.join('a', 'b'), j('c', 'd'), basename('/e/f')]",
        ["a/b", "c/d", "f"],
    ),
    "nothing": ("import 'crypto'; import path from 'path'\nexport default path.sep", "/"),
    "over lines": ("import {\n  join,\n  sep, // the slash\n} from 'path'\nexport default join('a', sep)", "a/"),
    "behind its use": ("export default join('a', 'b');\nimport { join } from 'path';", "a/b"),
    "with await": ("import { join } from 'path';\nconst x = await 'a';\nexport default () => join(x, 'b');", "a/b"),
    "with return": ("import { join } from 'path';\nconst x = await 'a';\nreturn join(x, 'b');", "a/b"),
    "name of a global": ("import { Buffer } from 'buffer';\nexport default Buffer.from('a').toString('hex')", "61"),
    "exported again": ("import { sep } from 'path';\nexport { sep as default };", "/"),
    "spelled with escapes": ("import { sep } from 'p\\x61th';\nexport default sep", "/"),
    "same name as ours": ("import require from 'path';\nexport default require.sep", "/"),
    "beside require": ("import { sep } from 'path';\nexport default sep + require('path').sep", "//"),
    "no space anywhere": ("import{sep}from'path';export default sep", "/"),
}


@pytest.mark.parametrize("name", IMPORTED)
def test_imported(js, name):
    source, expected = IMPORTED[name]
    assert js.run(source).value == expected


@pytest.mark.parametrize("name", ["await, list", "strict", "hashbang", "return beside an export"])
def test_a_good_module_is_valid(js, name):
    assert js.run(EXPORTED[name][0], mode="validate").report.failures == ()
    assert js.run(IMPORTED["over lines"][0], mode="validate").report.failures == ()


@pytest.mark.parametrize("mode", ["run", "validate"])
def test_a_refused_import_beside_a_good_one(js, mode):
    failure = js.run("import a from 'path';\n\n  import fs, { b } from 'node:fs';", mode=mode).failure
    assert (failure.kind, failure.line, failure.column) == (ErrorKind.POLICY_VIOLATION, 3, 3)
    assert '"node:fs"' in failure.message
    assert "crypto" in failure.hint
    assert "path" in failure.hint


def test_a_name_that_a_module_does_not_have(js):
    ended = js.run("console.log(1);\nimport { join, basname as b } from 'path';\nb('x')")
    failure = ended.failure
    assert (failure.kind, failure.line, failure.column) == (ErrorKind.SYNTAX_ERROR, 2, 16)
    assert failure.message == "the module \"path\" has no export named 'basname'"
    assert failure.hint == "did you mean 'basename'?"
    assert ended.logs == []


def test_nothing_moves_behind_an_import(js):
    failure = js.run("import {\n  sep\n} from 'path'; null.x").failure
    assert (failure.line, failure.column) == (3, 21)


def test_a_dynamic_import_is_refused_with_what_to_write(js):
    failure = js.run("return await import('crypto')", mode="validate").failure
    assert (failure.kind, failure.line, failure.column) == (ErrorKind.POLICY_VIOLATION, 1, 14)
    assert "require" in failure.hint
    assert js.run("return await import('crypto')").failure.kind is ErrorKind.POLICY_VIOLATION


LARGE = {
    # Of this the whole tree of the parser would be larger than the memory that there is.
    "data": ("export default [" + "{a:'x',b:[1,2]}," * 61_000 + "].length", 61_000),
    # Looked up in a list, the names would take minutes.
    "names": ("export {};" + "".join(f"let v{number};" for number in range(60_000)) + "v59999 = 1", 1),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_module_of_nearly_a_megabyte(js, name):
    source, expected = LARGE[name]
    assert js.run(source, seconds=60).value == expected


PATTERNS = {
    "object": ("let a, b; ({ a, b: [b] } = { a: 1, b: [2] });\nexport default [a, b]", [1, 2]),
    "defaults": ("let a, b; [a = 1, { b = 2 }] = [undefined, {}];\nexport default [a, b]", [1, 2]),
    "members": ("const o = {}; [o.a, o['b'], ...o.c] = [1, 2, 3];\nexport default o", {"a": 1, "b": 2, "c": [3]}),
    "holes": ("let a; [, , a] = [1, 2, 3];\nexport default a", 3),
    "parameters": (
        "export default (({ a: { b }, ...c }, [d = 4] = []) => [b, c, d])({ a: { b: 1 }, e: 2 })",
        [1, {"e": 2}, 4],
    ),
    "for": ("const got = []; let a; for ([a] of [[1], [2]]) got.push(a);\nexport default got", [1, 2]),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_is_still_one(js, name):
    source, expected = PATTERNS[name]
    assert js.run(source).value == expected


@pytest.mark.parametrize("source", ["[1, a] = b", "({ a, b: 2 }) => a", "({ m() {}, a } = b)", "[[a, 1], b] = c"])
def test_what_is_no_pattern_is_refused(js, source):
    assert js.run(f"export {{}};\nlet a, b, c;\n{source}").failure.kind is ErrorKind.SYNTAX_ERROR

"""What an author is told of an error: the kind, the line, frames of his own and nothing of ours."""

from __future__ import annotations

import json

import pytest

from langserver.core.outcome import ErrorKind
from tests.runtimes.js.driver import OURS, Broken

THROWN = {
    "main": (
        "function main() {\n  return null.x;\n}",
        "TypeError",
        "Cannot read properties of null (reading 'x')",
        2,
        15,
    ),
    "async main": ("async function main() {\n  await 1;\n  throw new RangeError('far');\n}", "RangeError", "far", 3, 9),
    "script": ("let a = 1;\n  missing();", "ReferenceError", "missing is not defined", 2, 3),
    "script, in JSON.parse": ("\nJSON.parse('{');", "SyntaxError", None, 2, 6),
    "body": ("await 1;\nfunction f() {\n  throw new Error('in f');\n}\nf();", "Error", "in f", 3, 9),
    "body, in its last expression": ("await 1;\n  null.x", "TypeError", None, 2, 8),
    "body, in a last expression behind others": (
        "const \u00e9 = await '\U0001f600'; null.x + \u00e9",
        "TypeError",
        None,
        1,
        28,
    ),
    "body, called by its last expression": (
        "await 1; f()\nfunction f() { throw new Error('in f'); }",
        "Error",
        "in f",
        2,
        22,
    ),
    "module, in its last expression": (
        "import { join } from 'path'\nconst a = await 1\n;join(a.b.c)",
        "TypeError",
        None,
        3,
        11,
    ),
    "body, first line": ("throw new Error(await 'now');", "Error", "now", 1, 7),
    "own class": (
        "class BadRow extends Error {}\nfunction main() { throw new BadRow('row 7'); }",
        "BadRow",
        "row 7",
        2,
        25,
    ),
    "timer": (
        (
            "async function main() {\n  setTimeout(() => { throw new Error('late'); }, 1);\n"
            "  await new Promise((r) => setTimeout(r, 500));\n}"
        ),
        "Error",
        "late",
        2,
        28,
    ),
    "async timer": (
        (
            "async function main() {\n  setTimeout(async () => { throw new Error('late'); }, 1);\n"
            "  await new Promise((r) => setTimeout(r, 500));\n}"
        ),
        "Error",
        "late",
        2,
        34,
    ),
    "microtask": (
        "queueMicrotask(() => { throw new Error('soon'); });\nasync function main() { await new Promise(() => {}); }",
        "Error",
        "soon",
        1,
        30,
    ),
    "toJSON": ("({ toJSON() { throw new Error('j'); } })", "Error", "j", 1, 21),
    "own class in a script": ("class BadRow extends Error {}\n  throw new BadRow('row 7');", "BadRow", "row 7", 2, 9),
    "own class of a class in a script": (
        (
            "class Bad extends Error { constructor(m) { super(m + '!'); } }\nclass Row extends Bad {}\n"
            "function f() { return new Row('r'); }\nthrow f();"
        ),
        "Row",
        "r!",
        3,
        23,
    ),
    "own class that says its name": (
        "class A extends Error { constructor() { super('a'); this.name = 'B'; } }\nthrow new A();",
        "B",
        "a",
        2,
        7,
    ),
    "own class of a TypeError in a script": ("class A extends TypeError {}\nthrow new A('a');", "TypeError", "a", 2, 7),
    "Error made in an own class": (
        "class Maker extends Object { constructor() { super(); throw new Error('m'); } }\nnew Maker();",
        "Error",
        "m",
        1,
        61,
    ),
    "blank lines in the message": ("throw new Error('a\\n\\nb');", "Error", "a\n\nb", 1, 7),
    "stack was read before": ("function main() { const e = new Error('q'); e.stack; throw e; }", "Error", "q", 1, 29),
    "frozen Error": ("Object.freeze(Error);\nfunction main() { null.x; }", "TypeError", None, 2, 24),
    "own prepareStackTrace": (
        "Error.prepareStackTrace = () => 5;\nfunction main() { null.x; }",
        "TypeError",
        None,
        2,
        24,
    ),
}


@pytest.mark.parametrize("name", THROWN)
def test_thrown(js, name):
    source, type_name, message, line, column = THROWN[name]
    failure = js.run(source).failure
    assert (failure.kind, failure.type, failure.line, failure.column) == (ErrorKind.USER_ERROR, type_name, line, column)
    assert message is None or failure.message == message
    assert f"node.js:{line}:{column}" in failure.traceback
    assert not OURS.search(failure.traceback)


LOCKED = """Error.prepareStackTrace = () => { throw 1; };
Object.freeze(Error);
"""


@pytest.mark.parametrize("how", ["", "await 1;\n"])
def test_an_error_is_told_where_its_stack_cannot_be_read(js, how):
    source = LOCKED + how + "throw Object.assign(new TypeError('boom', { cause: new Error('inner') }), { code: 5 })"
    failure = js.run(source).failure
    assert (failure.kind, failure.type, failure.message) == (ErrorKind.USER_ERROR, "TypeError", "boom")
    assert failure.traceback == "TypeError: boom\n    { code: 5 }\nCaused by: Error: inner"


def test_an_error_is_shown_where_its_stack_cannot_be_read(js):
    assert js.run(LOCKED + "console.log(new Error('x')); return 1").logs == [("log", "Error: x")]


def test_a_traceback_names_each_function_and_cause(js):
    source = """function inner() { throw new TypeError('low'); }
function outer() {
  try { inner(); } catch (error) { throw new Error('high', { cause: error }); }
}
function main() { [1].map(() => outer()); }"""
    assert js.run(source).failure.traceback.split("\n") == [
        "Error: high",
        "    at outer (node.js:3:42)",
        "        try { inner(); } catch (error) { throw new Error('high', { cause: error }); }",
        "                                               ^",
        "    at node.js:5:33",
        "    at main (node.js:5:23)",
        "Caused by: TypeError: low",
        "    at inner (node.js:1:26)",
        "        function inner() { throw new TypeError('low'); }",
        "                                 ^",
        "    at outer (node.js:3:9)",
        "    at node.js:5:33",
        "    at main (node.js:5:23)",
    ]


def test_a_traceback_tells_what_the_program_put_on_its_errors(js):
    source = """function main() {
  const error = new Error('high', { cause: Object.assign(new TypeError('low'), { path: ['a'] }) });
  Object.defineProperty(error, 'lazy', { enumerable: true, get() { throw 1; } });
  throw Object.assign(error, { code: 42, name: 'Named' });
}"""
    assert js.run(source).failure.traceback.split("\n") == [
        "Named: high",
        "    at main (node.js:2:17)",
        "        const error = new Error('high', { cause: Object.assign(new TypeError('low'), { path: ['a'] }) });",
        "                      ^",
        "    { lazy: [Getter], code: 42 }",
        "Caused by: TypeError: low",
        "    at main (node.js:2:58)",
        "        const error = new Error('high', { cause: Object.assign(new TypeError('low'), { path: ['a'] }) });",
        "                                                               ^",
        "    { path: [ 'a' ] }",
    ]


def test_the_errors_of_an_aggregate_are_told(js):
    source = "async function main() { await Promise.any([1, 2].map(async (n) => { throw new RangeError(n); })); }"
    assert js.run(source).failure.traceback.split("\n") == [
        "AggregateError: All promises were rejected",
        "    { [errors]: [ [RangeError: 1], [RangeError: 2] ] }",
    ]


NO_ERRORS = {
    "{ code: 42, msg: 'x' }": ("Object", "{ code: 42, msg: 'x' }", None),
    "{ message: 'm', code: 1 }": ("Object", "m", "{ code: 1 }"),
    "{ name: 'Bad', message: 'm' }": ("Bad", "m", None),
    "{ message: { text: 'x' } }": ("Object", "{ message: { text: 'x' } }", None),
    "{ get message() { throw 1; } }": ("Object", "{ message: [Getter] }", None),
    "new (class Row { id = 1; })()": ("Row", "Row { id: 1 }", None),
    "[1, [2]]": ("Array", "[ 1, [ 2 ] ]", None),
    "Object.create(null)": ("Object", "[Object: null prototype] {}", None),
    "function f() {}": ("Function", "[Function: f]", None),
    "42": ("", "42", None),
    "null": ("", "null", None),
}


@pytest.mark.parametrize("wrap", ["function main() {{ throw {}; }}", "await 0; throw {};"])
@pytest.mark.parametrize("value", NO_ERRORS)
def test_what_is_thrown_without_being_an_error_is_shown(js, value, wrap):
    type_name, message, properties = NO_ERRORS[value]
    failure = js.run(wrap.format(value)).failure
    assert (failure.kind, failure.type, failure.message) == (ErrorKind.USER_ERROR, type_name, message)
    assert properties is None or failure.traceback.split("\n")[-1] == f"    {properties}"


def test_an_object_thrown_by_a_script_is_told(js):
    failure = js.run("let a = 1;\n  throw { code: a, message: 'no rows' };").failure
    assert (failure.type, failure.message, failure.line, failure.column) == ("Object", "no rows", 2, 3)
    assert failure.traceback.split("\n")[-1] == "    { code: 1 }"


def test_an_object_thrown_by_a_script_in_a_statement_that_has_a_value_is_told_by_its_line(js):
    """Such a script is not run as a body, where its value would be another."""
    failure = js.run("let a = 1;\nif (a) { throw { code: a }; }").failure
    assert failure.message == "an object was thrown that is no Error: if (a) { throw { code: a }; }"
    assert failure.hint.startswith("throw new Error(text) instead")
    assert (failure.type, failure.line, failure.column) == ("Object", 2, 10)


PLACES = {
    "1;\n  throw 'x'": (2, 3),
    "function main() {\n  if (!inputs.x) throw { code: 1 };\n}": (2, 18),
    "const e = new Error('in');\nthrow Object.assign(e, { status: 3 })": (1, 11),
    "await 0;\ntry { throw 'a' } catch {}\nthrow 'b'": (0, 0),  # one of two
    "await Promise.reject('x')": (0, 0),
}


@pytest.mark.parametrize("source", PLACES)
def test_where_something_was_thrown(js, source):
    failure = js.run(source).failure
    assert (failure.line, failure.column) == PLACES[source]


def test_causes_and_properties_of_a_scripts_error(js):
    source = "const e = new Error('a', { cause: new TypeError('b', { cause: 'c' }) });\ne.code = 'E';\nthrow e"
    told = js.run(source).failure.traceback.split("\n")
    assert [line for line in told if line[0] != " " or "code" in line] == [
        "Error: a",
        "    { code: 'E' }",
        "Caused by: TypeError: b",
        "Caused by: c",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "let x = 1;\nthrow x; x",
        "try { 5 } catch (e) { throw e }",
        "for (const x of [1, 5]) { if (!x) throw 0; x; }",
    ],
)
def test_what_may_throw_keeps_its_value(js, source):
    ended = js.run(source.replace("throw x; x", "if (!x) throw x; x + 4"))
    assert ended.value == 5


def test_a_big_object_is_shown_on_one_short_line(js):
    failure = js.run("function main() { throw Array(1000).fill({ a: 'x'.repeat(20), b: Array(50).fill(1) }); }").failure
    assert "\n" not in failure.message
    assert 100 < len(failure.message) < 600


HOSTILE = [
    "throw undefined",
    "throw null",
    "throw Symbol('s')",
    "throw 10n",
    "throw Object.create(null)",
    "throw { toString() { throw 1; } }",
    "throw { get message() { throw 1; }, get stack() { throw 2; }, get name() { throw 3; } }",
    "throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } })",
    "throw new Proxy(new Error('x'), { get() { throw 1; } })",
    "throw Object.assign(new Error('x'), { name: {}, message: [], stack: 5 })",
    "const e = new Error('c'); e.cause = e; throw e",
    "Error.prototype.message = Error.prototype.name = 7; throw new Error()",
    "Error.stackTraceLimit = { valueOf() { throw 1; } }; throw new Error('x')",
    "globalThis.String = globalThis.Error = null; throw new TypeError('x')",
]


@pytest.mark.parametrize("source", HOSTILE)
@pytest.mark.parametrize("wrap", ["{}", "function main() {{ {}; }}", "async function main() {{ {}; }}", "await 0; {}"])
def test_hostile_values_are_described(js, source, wrap):
    failure = js.run(wrap.format(source)).failure
    assert failure.kind is ErrorKind.USER_ERROR
    assert failure.message
    assert not OURS.search(failure.traceback)


def test_a_string_thrown_is_the_message(js):
    assert js.run("function main() { throw 'no more rows'; }").failure.message == "no more rows"
    failure = js.run("1;\n  throw 'no more rows'").failure
    assert (failure.message, failure.line, failure.column) == ("no more rows", 2, 3)


def test_a_huge_message_is_cut(js):
    failure = js.run("function main() { throw new Error('x'.repeat(1e6)); }").failure
    assert 1000 < len(failure.message) < 10_000


BROKEN = {
    "script": Broken("let a = 1;\nlet b = ;", "Unexpected token ';'", 2, 9),
    "first line": Broken("function (", "Function statements require a function name", 1, 1),
    "early end": Broken("function main() {\n  if (1) {", "Unexpected end of input", 2, 11),
    "early end of an expression": Broken("1 +", "Unexpected end of input", 1, 4),
    "too many braces": Broken("function main() { }}", "Unexpected token '}'", 1, 20),
    "declared twice": Broken("let x = 1;\nlet x = 2;", "Identifier 'x' has already been declared", 2, 5),
    "body": Broken("return 1;\nlet x = ;", "Unexpected token ';'", 2, 9),
    "body with await": Broken("const a = await 1;\nconst s = 'abc", "Invalid or unexpected token", 2, 11),
    "body, early end": Broken("await 1;\nif (1) {", "Unexpected end of input", 2, 9),
    "closing the function around it": Broken("}); evil(); (async function () {", "Unexpected token '}'", 1, 1),
    "closing the body around it": Broken("return 1; } evil(); {", None, 1, 11),
    "100,000 brackets": Broken("[" * 100_000, "the source is nested too deeply", 0, 0),
}


@pytest.mark.parametrize("mode", ["run", "validate"])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_source(js, name, mode):
    BROKEN[name].check(js.run(BROKEN[name].source, mode=mode).failure)


def test_nothing_of_a_broken_source_runs(js):
    ended = js.run("console.log('ran');\nreturn 1;\nlet x = ;")
    assert ended.failure.kind is ErrorKind.SYNTAX_ERROR
    assert ended.logs == []


def test_a_syntax_error_at_run_time_does_not_start_the_program_again(js):
    ended = js.run("console.log('once'); eval('1 +');")
    assert ended.failure.type == "SyntaxError"
    assert ended.failure.kind is ErrorKind.USER_ERROR
    assert ended.logs == [("log", "once")]


REFUSED = {
    "require in main": ("function main() {\n  return require('fs');\n}", "fs", 2),
    "require in the script": ("const fs = require('fs');", "fs", 1),
    "fetch": ("async function main() { await fetch('https://example.com'); }", "no network", 1),
    "fetch in the script": ("\nfetch('https://example.com')", "no network", 2),
    "process": ("function main() { return process.env; }", "process", 1),
    "document": ("function main() { return document.title; }", "browser", 1),
    "FormData": ("function main() { return new FormData(); }", "no files and no forms", 1),
    "node:child_process": ("require('node:child_process')", "no operating system", 1),
    "a stream": ("require('stream')", "whole strings and Buffers", 1),
    "a module that is off": ("require('lodash')", "the operator can turn it on (LANG_JS_MODULES)", 1),
    "a part of a module that is off": ("require('lodash/get')", "the operator can turn it on", 1),
    "a module of others": ("require('uuid')", "crypto.randomUUID()", 1),
    "no module": ("require('nope')", "there are assert, assert/strict, buffer, crypto,", 1),
    "a file": ("require('./helpers')", "there are assert,", 1),
    "no module, nor what is off": ("require('nope')", "url, util, util/types$", 1),
    "like a module that is off": ("require('underscore')", "use what the language has$", 1),
    "a part of a module": ("require('crypto').createCipheriv('aes-256-cbc', 'k', 'i')", "crypto.createCipheriv", 1),
    "another part": ("require('url').fileURLToPath('file:///x')", "there are no files", 1),
    "import()": ("async function main() { await import('fs'); }", "import()", 1),
    "import": ("import fs from 'fs';\nfunction main() {}", '"fs"', 1),
    "import, multi-line": ("const a = 1;\nimport {\n  b } from 'c';", "import", 2),
    "export from": ("\nexport * from 'os';", '"os"', 2),
    "import.meta": ("const a = 1;\nexport const b = import.meta.url;", "import.meta", 2),
    "import.meta in a body": ("const a = await 1;\nreturn import.meta;", "import.meta", 2),
}


@pytest.mark.parametrize("name", REFUSED)
def test_absent_on_purpose(js, name):
    source, word, line = REFUSED[name]
    ended = js.run(source)
    assert ended.failure.kind is ErrorKind.POLICY_VIOLATION
    assert word in ended.failure.message + "$"
    assert ended.failure.line == line
    assert ended.failure.hint
    assert [(event.layer, event.action) for event in ended.events] == [("policy", "refused")]


def test_a_refusal_that_is_caught_is_no_failure(js):
    source = "function main() { try { require('fs'); } catch (error) { return error.message; } }"
    assert "is not available" in js.run(source).value


@pytest.mark.parametrize("wrap", ["{}; 1", "{}; return await 1", "function main() {{ {}; return 1; }}"])
def test_a_refusal_that_is_caught_is_told_once(js, wrap):
    source = "for (const name of ['fs', 'os', 'fs']) { try { require(name); } catch {} }"
    ended = js.run(wrap.format(source))
    assert ended.value == 1
    assert [(event.layer, event.action, event.detail.partition(" is ")[0]) for event in ended.events] == [
        ("policy", "refused", 'require("fs")'),
        ("policy", "refused", 'require("os")'),
    ]


def test_a_refusal_that_ends_the_task_after_it_was_caught_is_told_once(js):
    ended = js.run("try { require('fs'); } catch {}\nrequire('fs');")
    assert ended.failure.kind is ErrorKind.POLICY_VIOLATION
    assert [event.detail for event in ended.events] == [ended.failure.message]


def test_what_ends_the_task_is_told_after_any_number_of_refusals(js):
    ended = js.run("for (let i = 0; i < 5000; i++) { try { require('m' + i); } catch {} } fetch('x');")
    assert len(ended.events) == 64
    assert ended.events[-1].detail.startswith("fetch ")


def test_a_refusal_costs_nothing_of_the_log(js):
    ended = js.run("try { require('fs'); } catch {} console.log('line');", log_bytes=28)
    assert ended.logs == [("log", "line")]
    assert len(ended.events) == 1


def test_feature_tests_see_that_nothing_is_there(js):
    names = ["process", "window", "fetch", "Deno", "WebAssembly", "SharedArrayBuffer"]
    source = "[" + ",".join(f"typeof {name}" for name in names) + ", typeof Atomics.wait]"
    assert js.run(source).value == ["undefined"] * 7


def test_an_unknown_name_of_the_program_is_its_own_error(js):
    failure = js.run("function main() { return fetchRows(); }").failure
    assert failure.kind is ErrorKind.USER_ERROR


def test_a_stack_that_the_program_reads_is_in_its_own_lines(js):
    source = """await 1;
const seen = [];
try { [1].map(function f() { null.x }) } catch (e) { seen.push(e.stack); console.error(e); }
try { eval('null.x') } catch (e) { seen.push(e.stack); }
return seen"""
    ended = js.run(source)
    message = "TypeError: Cannot read properties of null (reading 'x')"
    assert ended.value == [
        f"{message}\n    at f (node.js:3:35)\n    at Array.map (<anonymous>)\n    at node.js:3:11",
        f"{message}\n    at eval (eval at <anonymous> (node.js), <anonymous>:1:6)\n    at node.js:4:7",
    ]
    assert [text for _, text in ended.logs][1] == "    at f (node.js:3:35)"


def test_a_stack_that_was_read_and_thrown_is_told_once_in_the_same_lines(js):
    failure = js.run("await 1;\nconst e = new Error('q');\ne.stack;\nthrow e;").failure
    assert (failure.line, failure.column) == (2, 11)


def test_a_name_that_the_input_does_not_have(js):
    failure = js.run("return inputs.itmes.length", {"items": [1]}).failure
    assert failure.hint == "the input has no 'itmes': did you mean 'items'?"


@pytest.mark.parametrize("inputs", [[1], 5, None, {}])
def test_an_input_without_names(js, inputs):
    failure = js.run("function main(i) { return i.a.b; }", text=json.dumps(inputs).encode()).failure
    assert failure.kind is ErrorKind.USER_ERROR


UNHANDLED = {
    "Promise.reject(new TypeError('x'));\n5": ("TypeError", "x", 1, 16),
    "function main() {\n  [1].forEach(async (n) => { await n; throw new Error('no ' + n); });\n}": (
        "Error",
        "no 1",
        2,
        45,
    ),
    "setTimeout(async () => { throw new RangeError('late'); }, 1);\nreturn 1": ("RangeError", "late", 1, 32),
    "return new Promise(async () => { null.x; })": (
        "TypeError",
        "Cannot read properties of null (reading 'x')",
        1,
        39,
    ),
    "Promise.reject('text'); return 1": ("", "text", 0, 0),
    "Promise.reject(); return 1": ("", "undefined", 0, 0),
    "Promise.reject(new Error('first')); Promise.reject(new Error('second')); return 1": ("Error", "first", 1, 16),
    "const p = Promise.reject(Object.freeze(new Error('x'))); Object.freeze(p);\n"
    "Promise.reject = Promise.prototype.then = Promise = null; return 1": ("Error", "x", 1, 40),
}


@pytest.mark.parametrize("source", UNHANDLED)
def test_a_rejection_that_nobody_handles_fails_the_task(js, source):
    failure = js.run(source).failure
    assert (failure.kind, failure.type, failure.message, failure.line, failure.column) == (
        ErrorKind.USER_ERROR,
        *UNHANDLED[source],
    )


def test_what_may_be_done_about_a_rejection_is_told(js):
    assert "await it" in js.run("Promise.reject(new Error('x')); return 1").failure.hint
    assert "did you mean 'total'" in js.run("const total = 1; (async () => totl)(); return 1").failure.hint


HANDLED = {
    "const p = Promise.reject(new Error('x')); p.catch(() => {}); return 1": 1,
    "const p = (async () => { throw 1; })(); await null; await null; try { await p } catch (e) { return e }": 1,
    "const p = Promise.reject(2);\nawait new Promise((r) => setTimeout(r, 5));\nreturn p.catch((e) => e)": 2,
    "return (await Promise.allSettled([1, 2].map(async (n) => { throw n; }))).length": 2,
    "return Promise.race([1, Promise.reject(2), Promise.reject(3)])": 1,
    "return Promise.any([Promise.reject(2), 3])": 3,
    "const all = []; for (let i = 0; i < 5000; i++) all.push(Promise.reject(i));\n"
    "return Promise.allSettled(all).then((list) => list.length)": 5000,
    "async function deep(n) { return deep(n + 1); }\ntry { await deep(0) } catch (e) { return e.name }": "RangeError",
    "for (let i = 0; i < 2000; i++) { try { await (async () => { throw i; })() } catch {} } return 7": 7,
}


@pytest.mark.parametrize("source", HANDLED)
def test_a_rejection_that_is_handled_in_the_end_is_none(js, source):
    assert js.run(source).value == HANDLED[source]


# V8 cleans up when a task of its own is over: here when the result is told, and before the host asks for the rejection.
AT_THE_END = """
const wait = (ms) => { for (const end = Date.now() + ms; Date.now() < end; ); };
let calls = 0;
const registry = new FinalizationRegistry(() => { if (calls++ === 0) { wait(100); atTheEnd(); } });
return { toJSON() { for (let i = 0; i < 300; i++) registry.register(new Array(20000), i); return 1; } };
"""


def test_no_code_of_the_program_runs_while_the_host_gets_a_reason(js):
    source = """
const p = Promise.reject(new Error('mine'));
function atTheEnd() {
  let ran = 0;
  Promise.reject(new Proxy([], { set() { ran++; return true; }, defineProperty() { ran++; return true; } }));
  console.log('ran', ran);
}
"""
    ended = js.run(source + AT_THE_END)
    assert ended.logs == [("log", "ran 0")]
    assert ended.failure.message == "mine"


def test_a_handler_may_come_while_the_host_asks(js):
    source = "const p = Promise.reject(1);\nfunction atTheEnd() { p.catch(() => {}); console.log('handled'); }"
    ended = js.run(source + AT_THE_END)
    assert ended.logs == [("log", "handled")]
    assert ended.value == 1


@pytest.mark.parametrize("start", ["function main() {}", "await 0;"])
def test_a_forged_stack_may_have_any_number_in_it(js, start):
    source = "const e = new Error('x'); e.stack = 'Error: x\\n    at task.js:' + '9'.repeat(5000) + ':1'; throw e"
    failure = js.run(f"{start}\n{source}").failure
    assert (failure.kind, failure.message) == (ErrorKind.USER_ERROR, "x")


def test_an_error_of_the_programs_own_goes_before_a_rejection(js):
    assert js.run("Promise.reject(new Error('a')); throw new Error('b')").failure.message == "b"
    assert js.run("await 0; Promise.reject(new Error('a')); throw new Error('b')").failure.message == "b"


def test_what_is_absent_is_a_violation_in_a_rejection_too(js):
    failure = js.run("(async () => { await fetch('https://example.org'); })(); return 1").failure
    assert (failure.kind, failure.line, failure.column) == (ErrorKind.POLICY_VIOLATION, 1, 16)

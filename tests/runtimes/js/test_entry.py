"""How a program says what its result is."""

from __future__ import annotations

import pytest

from langserver.core.outcome import ErrorKind

GIVEN = {"n": 20, "names": ["a", "b"]}

STYLES = {
    "function": ("function main(inputs) { return inputs.n + 1; }", 21),
    "async function": ("async function main({ n }) { await null; return n; }", 20),
    "const": ("const main = (inputs) => inputs.names;", ["a", "b"]),
    "class fields and let": ("let main = async (i) => ({ k: i.names.length });", {"k": 2}),
    "global result": ("var result = inputs.n * 2;", 40),
    "const result": ("const result = [inputs.n];", [20]),
    "module.exports value": ("module.exports = { a: inputs.n };", {"a": 20}),
    "module.exports function": ("module.exports = async (i) => i.n;", 20),
    "exports": ("exports.x = 1; exports.y = inputs.names;", {"x": 1, "y": ["a", "b"]}),
    "expression": ("inputs.n > 3 ? 'many' : 'few'", "many"),
    "invoked function": ("(function () { return inputs.n; })();", 20),
    "promise as value": ("(async () => inputs.n)()", 20),
    "top-level return": ("if (inputs.n) { return 'early'; }\nreturn 'late';", "early"),
    "top-level await": ("const x = await Promise.resolve(inputs.n); return x;", 20),
    "await before a last expression": ("const v = await Promise.resolve(41);\nv + 1", 42),
    "await and a last expression on one line": ("const v = await Promise.resolve(41); v + 1", 42),
    "await as the last expression": ("await Promise.resolve(inputs.n)", 20),
    "await, an object in brackets": ("await 1; ({ a: 1 });", {"a": 1}),
    "await, no semicolon before": ("const x = await 1\n;[x, 2]", [1, 2]),
    "await, functions after the last expression": (
        "const results = await [1, 2];\nf(results);\nfunction f(x) { return x.length; }\n;",
        2,
    ),
    "await, result in a function": (
        "async function f() {\nconst result = await 7;\nreturn result;\n}\nawait f()",
        7,
    ),
    "await, main in a comment": ("/*\nfunction main() { return 1; }\n*/\nawait 5", 5),
    "await, result in a template": ("const text = `\nlet result = 1`;\nawait text.length", 15),
    "await, result in a function and at the top": (
        "async function f() {\nconst result = await 7;\nreturn result;\n}\nconst result = await f() + 1;\n9",
        8,
    ),
    "await, result in a block": ("if (inputs.n) {\nvar result = 3;\n}\nawait 1;\n8", 3),
    "for await before a last expression": ("let n = 0; for await (const x of [1, 2]) n += x;\nn", 3),
    "await, result goes before": ("await 1; result = 5; 7", 5),
    "await, main goes before": ("await 1; function main() { return 3; }\n9", 3),
    "await, exports go before": ("await 1; module.exports = 6; 9", 6),
    "await, a return that is not reached": ("await 1; if (inputs.none) return 4;\n9", None),
    "await, a declaration at the end": ("await 1; 5; let z = 3;", None),
    "await, a block at the end": ("await 1; if (inputs.n) { 5; }", None),
    "await, a function's return on the last line": (
        "const f = () => {\n  return 5 }\nawait 1; [f()].map((x) => {\n  return x + 1 })",
        [6],
    ),
    "await, a timer after it": (
        "setTimeout(() => { x = 9; }, 5); let x = await 1; ({ get v() { return x; } })",
        {"v": 9},
    ),
    "a module without a value": ("import { join } from 'path'", None),
    "await in a module": ("import { join } from 'path'\nconst a = await 1\njoin('a', 'b')", "a/b"),
    "await beside main": ("const c = await Promise.resolve(2);\nfunction main(i) { return i.n * c; }", 40),
    "await beside result": ("const c = await Promise.resolve(2);\nvar result = c;", 2),
    "return wins over main": ("function main() { return 'main'; }\nreturn 'return';", "return"),
    "exports.main": ("exports.unit = 3; exports.main = function (i) { return i.n * this.unit; };", 60),
    "module.exports with main": ("module.exports = { help: () => 1, async main(i) { return i.n; } };", 20),
    "exports.default": ("exports.default = (i) => i.n;", 20),
    "main by a getter": ("Object.defineProperty(exports, 'main', { enumerable: true, get: () => (i) => i.n });", 20),
    "main that is no function": ("exports.main = 4;", {"main": 4}),
    "exports win over main": ("function main() { return 1; }\nmodule.exports = 2;", 2),
    "main wins over value": ("function main() { return 'main'; }\n'value'", "main"),
    "hashbang, script": ("#!/usr/bin/env node\nvar result = 3;", 3),
    "hashbang, body": ("#!/usr/bin/env node\nreturn 3;", 3),
    "sloppy": ("function main() { undeclared = 5; return undeclared; }", 5),
    "await as a name": ("var await = 4; var result = await;", 4),
    "comment at the end": ("var result = 6; // it ends here", 6),
    "body, comment at the end": ("await 1; var result = 7; // it ends here", 7),
    "await of a call in brackets": ("const x = await (async () => 8)();\nvar result = x + 1;", 9),
    "await of a list": ("const [x] = await [inputs.n];\nfunction main() { return x; }", 20),
    "await in an inner function only": ("async function main() { return await (async () => 8)(); }\n", 8),
    "calling a function named await": ("function await(x) { return x + 1; } var result = await (1);", 2),
    "await in a comment": ("// here we await\n1 + 1", 2),
    "await and its call on two lines": ("const x = await\n(async () => 8)();\nvar result = x;", 8),
    "await of a call in an inner function": (
        "async function f() { return await (async () => 8)(); }\nf()",
        8,
    ),
    "lexicals in a comment and declared": ("// const module = 1\nmodule.exports = 3;", 3),
    "lexicals declared in a list": (
        "const a = 1, exports = 2, { require } = { require: 3 };\na + exports + require",
        6,
    ),
    "lexicals declared behind comments": (
        "const // one\n require = 5, // two\n module = 6\n;var <!-- three\nexports = 7;\nrequire + module + exports",
        18,
    ),
    "lexicals declared behind a comment in a body": ("const // one\n\nrequire = 5\nreturn require", 5),
    "lexicals declared inside": (
        "for (const module of [1]) { const require = 2; }\nmodule.exports = typeof require;",
        "function",
    ),
    "lexicals declared in a body": ("const module = 1, exports = 2;\nreturn module + exports;", 3),
    "exports win over return": ("module.exports = { a: 1 };\nreturn 5;", {"a": 1}),
    "a compiler's mark is no export": (
        "Object.defineProperty(exports, '__esModule', { value: true });\nfunction main() { return 1; }",
        1,
    ),
    "a compiler's default export": (
        "Object.defineProperty(exports, '__esModule', { value: true });\nexports.b = 1; exports.default = { a: 1 };",
        {"a": 1},
    ),
    "one argument": ("function main() { return [...arguments]; }", [GIVEN]),
    "one argument of an export": ("module.exports = function () { return [...arguments]; };", [GIVEN]),
    "arguments of a timer": (
        "function main() { return new Promise((d) => setTimeout(function () { d([...arguments]); }, 1, 2, 3)); }",
        [2, 3],
    ),
    "no argument of a microtask": (
        "function main() { return new Promise((d) => queueMicrotask(function () { d(arguments.length); })); }",
        0,
    ),
    "async arrow": ("const main = async ({ n }) => n;", 20),
    "for await": ("let n = 0; for await (const x of [1, 2]) n += x; return n;", 3),
    "nothing": ("", None),
    "only a comment": ("// nothing", None),
    "undefined": ("function main() {}", None),
    "thenable": ("function main() { return { then(done) { done(9); } }; }", 9),
}


@pytest.mark.parametrize("name", STYLES)
def test_style(js, name):
    source, expected = STYLES[name]
    assert js.run(source, GIVEN).value == expected


NAMES = ["console", "setTimeout", "inputs", "module", "exports", "require", "URL", "process", "fetch", "Buffer"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "declare", ["const {} = 1;", "let {} = 1;", "var {} = 1;", "function {}() {{}}", "class {} {{}}"]
)
def test_a_program_may_declare_any_name(js, name, declare):
    assert js.run(declare.format(name) + " var result = 'fine';").value == "fine"


def test_a_function_as_value_is_no_result(js):
    failure = js.run("(inputs) => inputs").failure
    assert failure.kind is ErrorKind.INVALID_RESULT
    assert "name it main" in failure.hint


def test_a_function_among_exports_is_told_how_it_would_be_called(js):
    failure = js.run("exports.handler = (inputs) => inputs;").failure
    assert (failure.kind, failure.message) == (ErrorKind.INVALID_RESULT, "result.handler is not JSON: a function")
    assert "module.exports = " in failure.hint
    assert "module.exports" not in js.run("exports.a = { handler() {} };").failure.hint


WAITING = {
    "async function main() { await new Promise(() => {}); }": "main",
    "await 0; async function main() { await new Promise(() => {}); }": "the program",
    "await new Promise(() => {});": "the program",
    "new Promise(() => {})": "the program",
    "var result = new Promise(() => {});": "the program",
    "module.exports = async () => new Promise(() => {});": "the exported function",
    "module.exports = new Promise(() => {});": "the exported value",
}


@pytest.mark.parametrize("source", WAITING)
def test_what_waits_for_nothing_is_told_at_once(js, source):
    ended = js.run(source, seconds=30)
    assert ended.failure.kind is ErrorKind.USER_ERROR
    assert ended.failure.message == f"{WAITING[source]} waits for a promise that nothing will settle"
    assert not ended.timed_out


def test_input_stays_what_it_was(js):
    text = '{"__proto__": {"a": 1}, "é": "😀", "n": 1.5e3, "deep": [[[]]]}'
    source = "function main(i) { return [Object.keys(i), i.n, i['é'], Object.getPrototypeOf(i) === Object.prototype]; }"
    assert js.run(source, text=text.encode()).value == [["__proto__", "é", "n", "deep"], 1500, "😀", True]


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        ("9007199254740993", "inputs === 9007199254740992"),
        ("12345678901234567890", "typeof inputs === 'number' && String(inputs) === '12345678901234567000'"),
        ("1e400", "inputs === Infinity"),
        ("-1e400", "inputs === -Infinity"),
        ("1e-400", "Object.is(inputs, 0)"),
        ("-0", "Object.is(inputs, -0)"),
    ],
)
def test_a_number_is_what_json_parse_makes_of_it(js, text, is_it):
    source = f"return [{is_it}, Object.is(inputs, JSON.parse('{text}'))];"
    assert js.run(source, text=text.encode()).value == [True, True]


def test_an_id_that_comes_as_text_keeps_its_digits(js):
    assert js.run("return String(BigInt(inputs) + 1n);", text=b'"9007199254740993"').value == "9007199254740994"


def test_an_empty_input_is_an_empty_object(js):
    assert js.run("var result = inputs;", text=b"").value == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"{bad", "not JSON"),
        (b"NaN", "not JSON"),
        (b"[1,]", "not JSON"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b'"\xed\xa0\x80"', "not UTF-8 at byte 1"),
        (b'"' + b"a" * (1 << 20) + b'\xff"', f"not UTF-8 at byte {(1 << 20) + 1}"),
        (b'"' + b"a" * ((1 << 20) - 2) + b'\xf0\x9f"', f"not UTF-8 at byte {(1 << 20) - 1}"),
        (b'"' + b"a" * (2 << 20) + b"\xf0\x9f", f"not UTF-8 at byte {(2 << 20) + 1}"),
        (b"[" * 201 + b"]" * 201, "nested over 200"),
        (b"[" * 100_000 + b"]" * 100_000, "nested over 200"),
    ],
)
def test_bad_input(js, text, reason):
    ended = js.run("1", text=text)
    assert ended.bad_input is not None
    assert reason in ended.bad_input
    assert ended.report is None


def test_an_input_of_16_mib(js):
    text = b'["' + b"x" * (16 << 20) + b'"]'
    assert js.run("function main(i) { return i[0].length; }", text=text).value == 16 << 20


def test_two_tasks_share_nothing(js):
    mark = "const seen = typeof mark; globalThis.mark = Array.prototype.mark = 1; seen"
    assert [js.run(mark).value for _ in range(2)] == ["undefined", "undefined"]
    assert js.run("[].mark").value is None


def test_random_numbers_differ_between_siblings(js):
    assert js.run("Math.random()").value != js.run("Math.random()").value


def test_a_seed_repeats_random_numbers(js):
    source = "[Math.random(), Math.random(), String(Math.random), Math.random.name]"
    first, second, other = (js.run(source, seed=seed).value for seed in (7, 7, 8))
    assert first == second
    assert first[:2] != other[:2]
    assert 0 <= first[0] < 1
    assert first[2:] == ["function () { [native code] }", "random"]


def test_every_bit_of_a_seed_counts(js):
    seeds = [0, 1, -1, 5, -5, 5 + 2**32, 2**63 - 1, -(2**63), 2**32, 2**31, -(2**31)]
    drawn = {seed: tuple(js.run("[Math.random(), Math.random()]", seed=seed).value) for seed in seeds}
    assert len(set(drawn.values())) == len(seeds)
    assert len({first for first, _ in drawn.values()}) == len(seeds), "from the first number on"


def test_seeded_numbers_are_spread_evenly(js):
    source = "const n = Array(16).fill(0); for (let i = 0; i < 16000; i++) n[Math.random() * 16 | 0]++; n"
    assert all(800 < count < 1200 for count in js.run(source, seed=0).value)


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("UTC", ["2024-07-01T00:00:00.000Z", "UTC"]),
        ("America/New_York", ["2024-07-01T04:00:00.000Z", "America/New_York"]),
        ("Asia/Tokyo", ["2024-06-30T15:00:00.000Z", "Asia/Tokyo"]),
    ],
)
def test_zone(js, zone, expected):
    source = "[new Date(2024, 6, 1), Intl.DateTimeFormat().resolvedOptions().timeZone]"
    assert js.run(source, zone=zone).value == expected


AWAITS = {
    "const r = await (async () => 1)();\nreturn r": 1,
    "async function main() { return await (async () => 1)(); }": 1,
    "const o = { async f() { return await (1); }, g: async () => await [1][0] };\no.f()": 1,
    "const f = async () => { for await (const x of [1]) return await +x; };\nf()": 1,
    "function await(x) { return x; }\nawait (1)": 1,
    "var await = [1];\nawait [0]": 1,
    "const x = [await (1), 2]; x[0]": 1,
    "const s = 'await (x)'; // await [y]\ns.length - 8": 1,
    "console.log(await Promise.resolve(2));\n3 - 2": 1,
    "const list = [];\nfor (const x of [1]) {\n  list.push(await x);\n}\nlist[0]": 1,
    "if (await (async () => true)()) {\n  return 1;\n}": 1,
    "  const x = await 1;\n  return [\n    x,\n  ][0];": 1,
    "return f(await 1);\nfunction f(x) {\n  return x;\n}": 1,
    "const x = await 1;\nconst f = () => {\n  return 5;\n};\nx": 1,
    "await 0;\n`\nreturn 5`;\n1": 1,
    "const o = { async await(x) { return x; } };\no.await (1)": 1,
    "await\ufeff(Promise.resolve(1))": 1,
    "await\xa0\nPromise.resolve(1)": 1,
    "await <!-- a comment\n(Promise.resolve(1))": 1,
    "var await = 2;\nawait <!-- a comment\n- 1": 1,
}


@pytest.mark.parametrize("source", AWAITS)
def test_what_an_await_is_and_what_comes_of_it(js, source):
    assert js.run(source).value == AWAITS[source]


def test_a_source_that_is_broken_behind_an_await_is_told_where(js):
    failure = js.run("f(await g());\nconst a = ;").failure
    assert (failure.kind, failure.message, failure.line, failure.column) == (
        ErrorKind.SYNTAX_ERROR,
        "Unexpected token ';'",
        2,
        11,
    )

"""Log lines: their text, their order, their budget, and that they are out before a kill."""

from __future__ import annotations

import pytest

SHOWN = {
    "console.log('a', 1, true, null, undefined)": "a 1 true null undefined",
    "console.log(-0, 1n, Symbol('s'), NaN)": "-0 1n Symbol(s) NaN",
    "console.log({ a: 1, 'b c': [1, 'x', { d: null }] })": "{ a: 1, \"b c\": [ 1, 'x', { d: null } ] }",
    "console.log([], {}, [undefined], Object.create(null))": "[] {} [ undefined ] [Object: null prototype] {}",
    "console.log(new Map([['k', { v: 1 }]]), new Set([1]))": "Map(1) { 'k' => { v: 1 } } Set(1) { 1 }",
    "console.log(new Date(0), /a+/g, new Uint8Array(2))": "1970-01-01T00:00:00.000Z /a+/g Uint8Array(2) [ 0, 0 ]",
    "class Row { constructor() { this.id = 1; } }\nconsole.log(new Row(), Row, main); function main() {}": (
        "Row { id: 1 } [Function: Row] [Function: main]"
    ),
    "const c = {}; c.c = c; console.log(c)": "{ c: [Circular] }",
    "console.log([[[[[['deep']]]]]])": "[ [ [ [ [Array] ] ] ] ]",
    "console.log({ get a() { throw 1; } })": "{ a: [Getter] }",
    "console.log(new Proxy({}, { ownKeys() { throw 1; } }))": "[unreadable]",
    "console.log('%s is %d%% of %o', 'x', 5, { a: 1 }, 'rest')": "x is 5% of { a: 1 } rest",
    "console.log('100%', 5)": "100% 5",
    "console.log('%x', 'y')": "%x y",
    "console.log()": "",
    "console.dir({ a: 1 })": "{ a: 1 }",
    "console.count(); console.count('x'); ": "default: 1",
    "console.assert(false, 'why')": "Assertion failed: why",
    "console.log([new Error('inside')])": "[ [Error: inside] ]",
}


@pytest.mark.parametrize("source", SHOWN)
def test_text(js, source):
    assert js.run(source).logs[0][1] == SHOWN[source]


def test_wide_values_take_several_lines(js):
    source = "console.log({ first: 'x'.repeat(40), second: { third: 'y'.repeat(40), fourth: 'z'.repeat(40) } })"
    assert [text for _, text in js.run(source).logs] == [
        "{",
        f"  first: '{'x' * 40}',",
        "  second: {",
        f"    third: '{'y' * 40}',",
        f"    fourth: '{'z' * 40}'",
        "  }",
        "}",
    ]


def test_an_error_is_shown_with_the_programs_own_frames(js):
    source = "await 1;\nfunction f() { console.error(new TypeError('bad')); }\nf();"
    assert js.run(source).logs == [
        ("error", "TypeError: bad"),
        ("error", "    at f (node.js:2:30)"),
        ("error", "    at node.js:3:1"),
    ]


def test_streams_and_lines(js):
    source = "for (const k of ['log', 'info', 'warn', 'error', 'debug']) console[k](k + '\\nsecond');"
    assert js.run(source).logs == [(k, t) for k in ("log", "info", "warn", "error", "debug") for t in (k, "second")]


def test_table_and_groups(js):
    source = """console.table([{ a: 1, b: 'x' }, { a: 22 }]);
console.group('g'); console.log('in\\nside'); console.groupEnd(); console.log('out');"""
    assert [text.rstrip() for _, text in js.run(source).logs] == [
        "(index) | a  | b",
        "0       | 1  | 'x'",
        "1       | 22 |",
        "g",
        "  in",
        "  side",
        "out",
    ]


def test_every_method_survives_every_value(js):
    source = """const values = [undefined, null, 1n, Symbol('s'), () => 0, Object.create(null), [,], new WeakMap(),
  new Error(), new Proxy({}, { get() { throw 1; } }),
  { toString() { throw 1; }, toJSON() { throw 2; }, [Symbol.toPrimitive]() { throw 3; } }];
for (const name of Object.keys(console)) for (const value of values) {
  console[name](value);
  console[name]('%s%d%i%f%j%o%c', value, value);
}
for (const name of Object.keys(console)) console[name]();
Object.keys(console).length"""
    assert js.run(source).value >= 18


def test_a_line_is_out_before_the_program_hangs(js):
    ended = js.run("console.log('before'); for (;;) {}", seconds=1)
    assert ended.timed_out
    assert ended.logs == [("log", "before")]


def test_a_line_of_a_microtask_is_out_before_it_hangs(js):
    ended = js.run("function main() { Promise.resolve().then(() => { console.log('late'); for (;;) {} }); }", seconds=1)
    assert ended.timed_out
    assert ended.logs == [("log", "late")]


def test_more_lines_than_the_ring_holds(js):
    ended = js.run("for (let i = 0; i < 20000; i++) console.log('line ' + i); 'done'", log_bytes=4 << 20)
    assert ended.value == "done"
    assert [text for _, text in ended.logs] == [f"line {i}" for i in range(20000)]
    assert not ended.logs_cut


def test_long_lines_are_split_between_characters(js):
    ended = js.run("console.log('a' + '😀'.repeat(10000))")
    assert "".join(text for _, text in ended.logs) == "a" + "😀" * 10000
    assert len(ended.logs) > 1


@pytest.mark.parametrize(
    "source",
    [
        "for (let i = 0; i < 5000; i++) console.log('x'.repeat(100))",
        "console.log('x'.repeat(2 ** 24))",
        "console.log(Array(1e5).fill({ a: { b: [1, 2, 3] } }))",
        "console.log(...Array(1e5).fill({ a: { b: [1, 2, 3] } }))",
        "for (let i = 0; i < 100; i++) console.group(); for (let i = 0; i < 5000; i++) console.log('')",
        "console.log('\\n'.repeat(1e6))",
        "console.table(Array(1e4).fill({ a: 'x'.repeat(1000) }))",
    ],
)
def test_the_budget_bounds_what_is_sent(js, source):
    ended = js.run(source + "; 1", log_bytes=20_000)
    assert ended.value == 1
    assert sum(len(text.encode()) + 24 for _, text in ended.logs) <= 20_000


def test_the_cut_is_said(js):
    assert js.run("for (let i = 0; i < 5000; i++) console.log('x'.repeat(100))", log_bytes=20_000).logs_cut
    assert not js.run("console.log('x')", log_bytes=25).logs_cut
    assert js.run("console.log('xy')", log_bytes=25).logs_cut


def test_hostile_lone_surrogates(js):
    assert js.run("console.log('a\\ud83d\\nb\\udc00')").logs == [("log", "a\ufffd"), ("log", "b\ufffd")]

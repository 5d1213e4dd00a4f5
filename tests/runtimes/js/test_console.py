"""Log lines: their text, their order, their budget, and that they are out before a kill."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

SHOWN = {
    "console.log('a', 1, true, null, undefined)": "a 1 true null undefined",
    "console.log(-0, 1n, Symbol('s'), NaN)": "-0 1n Symbol(s) NaN",
    "console.log({ a: 1, 'b c': [1, 'x', { d: null }] })": "{ a: 1, 'b c': [ 1, 'x', { d: null } ] }",
    "console.log([], {}, [undefined], Object.create(null))": "[] {} [ undefined ] [Object: null prototype] {}",
    "console.log(new Map([['k', { v: 1 }]]), new Set([1]))": "Map(1) { 'k' => { v: 1 } } Set(1) { 1 }",
    "console.log(new Date(0), /a+/g, new Uint8Array(2))": "1970-01-01T00:00:00.000Z /a+/g Uint8Array(2) [ 0, 0 ]",
    "class Row { constructor() { this.id = 1; } }\nconsole.log(new Row(), Row, main); function main() {}": (
        "Row { id: 1 } [class Row] [Function: main]"
    ),
    "const c = {}; c.c = c; console.log(c)": "<ref *1> { c: [Circular *1] }",
    "console.log([[[[[['deep']]]]]])": "[ [ [ [Array] ] ] ]",
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
    "console.log([1, , 3, , ,], Array(2), Array(1e9))": (
        "[ 1, <1 empty item>, 3, <2 empty items> ] [ <2 empty items> ] [ <1000000000 empty items> ]"
    ),
    "console.log('ab'.match(/b/))": "[ 'b', index: 1, input: 'ab', groups: undefined ]",
    "console.log({ [Symbol('s')]: 1, set b(v) {}, get c() {}, set c(v) {} })": (
        "{ b: [Setter], c: [Getter/Setter], [Symbol(s)]: 1 }"
    ),
    "console.log(class A {}, class B extends Map {}, class {}, Object.assign(function f() {}, { a: 1 }))": (
        "[class A] [class B extends Map] [class (anonymous)] [Function: f] { a: 1 }"
    ),
    "console.log(() => 0, async () => 0, function* g() {}, async function* h() {}, ({ classy() {} }).classy)": (
        "[Function (anonymous)] [AsyncFunction (anonymous)] [GeneratorFunction: g] [AsyncGeneratorFunction: h] "
        "[Function: classy]"
    ),
    "console.log(new Promise(() => {}), new WeakMap(), (function* () {})(), Math)": (
        "Promise { <pending> } WeakMap { <items unknown> } Object [Generator] {} Object [Math] {}"
    ),
    "console.log(new Number(5), new String('x'), Object(1n), Object(Symbol('s')))": (
        "[Number: 5] [String: 'x'] [BigInt: 1n] [Symbol: Symbol(s)]"
    ),
    "console.log(new (class Rows extends Array {})(1), new (class M extends Map {})(), Object.create({ a: 1 }))": (
        "Rows(1) [ <1 empty item> ] M(0) [Map] {} {}"
    ),
    """console.log(["it's", 'a"b', `'"`, 'a\\nb'])""": """[ "it's", 'a"b', `'"`, 'a\\nb' ]""",
    "console.log({ a: { b: { c: { d: 1 }, e: {}, f: [] } } })": "{ a: { b: { c: [Object], e: {}, f: [] } } }",
    "console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 })": "{ a: [Object] }",
    "console.log('%s %s %s', -0, { a: { b: 1 } }, Symbol('s'))": "-0 { a: [Object] } Symbol(s)",
    "console.log('%d %d %i %i %f %d', '5', {}, '42.9px', 5.7, '3.5x', 5n)": "5 NaN 42 5 3.5 5n",
    "console.log('%j %j', { a: [1] }, 'x')": '{"a":[1]} "x"',
    "console.log('%s %s', { toString: () => 'own' }, new (class A { toString() { return 'its'; } })())": "own its",
    "console.log('%s %s', () => 1, class A {})": "() => 1 class A {}",
    "console.log('%s', { toString() { throw 1; } })": "{ toString: [Function: toString] }",
    "console.log(new ArrayBuffer(2), new DataView(new ArrayBuffer(2), 1))": (
        "ArrayBuffer { [Uint8Contents]: <00 00>, byteLength: 2 } DataView {"
    ),
    "console.log('%cred', 'color: red')": "red",
    "console.log('100%%')": "100%%",
    "console.log([Object.assign(new Error('e', { cause: { a: 1 } }), { code: 2 })])": (
        "[ [Error: e] { code: 2, [cause]: { a: 1 } } ]"
    ),
    "console.log([new AggregateError([1], 'all')])": "[ [AggregateError: all] { [errors]: [ 1 ] } ]",
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


ROWS = {
    "console.log(Array.from({ length: 101 }, (_, i) => i))": [
        "[",
        "   0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11,",
        *(f"  {', '.join(str(n) for n in range(row, row + 12))}," for row in range(12, 96, 12)),
        "  96, 97, 98, 99,",
        "  ... 1 more item",
        "]",
    ],
    "console.log({ words: ['a', 'bb', 'ccc', 'd', 'ee', 'fff', 'g'] })": [
        "{",
        "  words: [",
        "    'a',   'bb',",
        "    'ccc', 'd',",
        "    'ee',  'fff',",
        "    'g'",
        "  ]",
        "}",
    ],
    "console.log(new Uint8Array(7))": ["Uint8Array(7) [", "  0, 0, 0, 0,", "  0, 0, 0", "]"],
    "console.log('%O %o', { a: { b: { c: { d: 1 } } } }, { a: { b: { c: { d: 1 } } } })": [
        "{ a: { b: { c: [Object] } } } {",
        "  a: { b: { c: { d: 1 } } }",
        "}",
    ],
    "console.log(new ArrayBuffer(52))": [
        "ArrayBuffer {",
        f"  [Uint8Contents]: <{' '.join(['00'] * 50)} ... 2 more bytes>,",
        "  byteLength: 52",
        "}",
    ],
    "console.log([1, 2, 3, 4, 5, 6])": ["[ 1, 2, 3, 4, 5, 6 ]"],
    "console.dir({ a: { b: { c: { d: { e: 1 } } } } }, { depth: null })": [
        "{",
        "  a: {",
        "    b: { c: { d: { e: 1 } } }",
        "  }",
        "}",
    ],
    "console.dir({ e: { f: 1 }, a: { b: { c: { d: 1 } } } }, { depth: null })": [
        "{",
        "  e: { f: 1 },",
        "  a: { b: { c: { d: 1 } } }",
        "}",
    ],
    "console.log(Array(7).fill('x'.repeat(30)))": ["[", *[f"  '{'x' * 30}',"] * 6, f"  '{'x' * 30}'", "]"],
}


@pytest.mark.parametrize("source", ROWS)
def test_long_arrays_stand_in_rows(js, source):
    assert [text for _, text in js.run(source).logs] == ROWS[source]


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


TABLES = {
    "console.table([{ a: 1, b: 'x' }, { a: 22, c: { d: 1 } }])": """
        ┌─────────┬────┬─────┬──────────┐
        │ (index) │ a  │ b   │ c        │
        ├─────────┼────┼─────┼──────────┤
        │ 0       │ 1  │ 'x' │          │
        │ 1       │ 22 │     │ { d: 1 } │
        └─────────┴────┴─────┴──────────┘""",
    "console.table([1, 'two', { three: 3 }])": """
        ┌─────────┬───────┬────────┐
        │ (index) │ three │ Values │
        ├─────────┼───────┼────────┤
        │ 0       │       │ 1      │
        │ 1       │       │ 'two'  │
        │ 2       │ 3     │        │
        └─────────┴───────┴────────┘""",
    "console.table({ x: { a: 1, b: 2 }, y: { b: 3 } }, ['b', 'c'])": """
        ┌─────────┬───┬───┐
        │ (index) │ b │ c │
        ├─────────┼───┼───┤
        │ x       │ 2 │   │
        │ y       │ 3 │   │
        └─────────┴───┴───┘""",
    "console.table(new Map([['k', { v: 1 }], ['l', 2]]))": """
        ┌───────────────────┬─────┬──────────┐
        │ (iteration index) │ Key │ Values   │
        ├───────────────────┼─────┼──────────┤
        │ 0                 │ 'k' │ { v: 1 } │
        │ 1                 │ 'l' │ 2        │
        └───────────────────┴─────┴──────────┘""",
    "console.table(new Set(['b']))": """
        ┌───────────────────┬────────┐
        │ (iteration index) │ Values │
        ├───────────────────┼────────┤
        │ 0                 │ 'b'    │
        └───────────────────┴────────┘""",
    "console.table([])": """
        ┌─────────┐
        │ (index) │
        ├─────────┤
        └─────────┘""",
    "console.table(5)": "5",
}


@pytest.mark.parametrize("source", TABLES)
def test_table(js, source):
    assert [text for _, text in js.run(source).logs] == dedent(TABLES[source]).strip().split("\n")


def test_groups(js):
    source = "console.group('g'); console.log('in\\nside'); console.groupEnd(); console.log('out');"
    assert [text for _, text in js.run(source).logs] == ["g", "  in", "  side", "out"]


def test_counts_and_clocks(js):
    source = """console.count('a'); console.count('a'); console.countReset('a'); console.count('a');
console.countReset('b'); console.time('t'); console.time('t');
console.timeLog('t', { x: 1 }); console.timeEnd('t'); console.timeEnd('t');"""
    assert [(stream, re.sub(r"\d+ms", "Nms", text)) for stream, text in js.run(source).logs] == [
        ("log", "a: 1"),
        ("log", "a: 2"),
        ("log", "a: 1"),
        ("warn", "Warning: Count for 'b' does not exist"),
        ("warn", "Warning: Label 't' already exists for console.time()"),
        ("log", "t: Nms { x: 1 }"),
        ("log", "t: Nms"),
        ("warn", "Warning: No such label 't' for console.timeEnd()"),
    ]


OWN_WAYS = {
    "{ [show]: () => 'shown' }": "shown",
    "{ a: { [show]: (depth) => ({ depth }) } }": "{ a: { depth: 1 } }",
    "new (class A { [show](depth, options, inspect) { return 'A ' + inspect({ depth }); } })()": "A { depth: 2 }",
    "{ a: { [show]: () => 'x\\ny' } }": "{\n  a: x\n  y\n}",
    "{ [show]: () => { throw 1; } }": "[unreadable]",
    "{ [show]: 1 }": "{ [Symbol(nodejs.util.inspect.custom)]: 1 }",
    "{ get [show]() { throw 1; } }": "{ [Symbol(nodejs.util.inspect.custom)]: [Getter] }",
}


def test_an_object_may_say_how_it_is_shown(js):
    calls = "; ".join(f"console.log({value}); console.log('-')" for value in OWN_WAYS)
    ended = js.run(f"const show = Symbol.for('nodejs.util.inspect.custom'); {calls}")
    shown = "\n".join(text for _, text in ended.logs).split("\n-")
    assert [text.removeprefix("\n") for text in shown] == [*OWN_WAYS.values(), ""]


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
        "console.log('%j %o', Array(1e5).fill({ a: 'x'.repeat(100) }), Array(1e5).fill({ a: 'x'.repeat(100) }))",
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


STACKS = {
    "an error": "function make() { return new TypeError('gone'); }",
    "of a class": "class Gone extends Error {}\nfunction make() { return new Gone('it\\nis'); }",
    "without a message": "function make() { return new Error(); }",
    "thrown by V8": "function make() { try { null.x; } catch (e) { return e; } }",
    "in a constructor": "class A { constructor() { this.e = new Error('x'); } }\nfunction make() { return new A().e; }",
    "async": "async function deep() { await 1; return new Error('x'); }\nasync function make() { return deep(); }",
    "the program's own": (
        "Error.prepareStackTrace = (e, sites) => { const n = sites.length; sites.length = 0; return e.message + n; };\n"
        "function make() { return new Error('x'); }"
    ),
}


@pytest.mark.parametrize("name", STACKS)
def test_an_error_keeps_its_stack_when_it_is_logged(js, name):
    source = STACKS[name] + (
        "\nasync function main() { const stacks = []; for (const logged of [false, true]) {\n"
        "const e = await make(); if (logged) console.log(e); stacks.push(e.stack); } return stacks; }"
    )
    ended = js.run(source)
    plain, logged = ended.value
    assert logged == plain != ""
    assert any(text.startswith("    at ") for _, text in ended.logs)


def test_a_formatter_that_throws_spoils_no_log_line(js):
    ended = js.run("Error.prepareStackTrace = () => { throw 1; }; const e = new Error('x'); console.log(e); e.stack")
    assert ended.value.startswith("Error: x\n    at ")
    assert [text for _, text in ended.logs] == ["Error: x", "    at node.js:1:57"]


ENDLESS_ANCESTRY = "const p = new Proxy({}, { getPrototypeOf: () => p });"


def test_an_object_that_is_its_own_prototype_is_shown(js):
    ended = js.run(ENDLESS_ANCESTRY + " console.log(p, [[[p]]]); 1")
    assert ended.value == 1
    assert len(ended.logs) == 1


def test_an_object_that_is_its_own_prototype_can_be_thrown(js):
    assert js.run(ENDLESS_ANCESTRY + " function main() { throw p; }").failure.message


def test_an_object_that_is_its_own_prototype_can_be_a_result(js):
    assert js.run(ENDLESS_ANCESTRY + " p.a = 1; function main() { return p; }").value == {"a": 1}

"""What is JSON, what is not, and how the culprit is named."""

from __future__ import annotations

import json

import pytest

from langserver.core.outcome import ErrorKind

VALUES = {
    "scalars": (
        "[1, -0, 1.5, 1e21, 5e-324, true, false, null, undefined, 'x']",
        [1, 0, 1.5, 1e21, 5e-324, True, False, None, None, "x"],
    ),
    "text": (r"""['\u2028"\\\n\u0000é😀', '\ud83d\ude00']""", ['\u2028"\\\n\x00é😀', "😀"]),
    "undefined is left out": ("({ a: undefined, b: 1 })", {"b": 1}),
    "dates": ("[new Date(0), new Date(NaN)]", ["1970-01-01T00:00:00.000Z", None]),
    "boxed": ("[new Number(1), new String('s'), new Boolean(false)]", [1, "s", False]),
    "own toJSON": (
        "class Money { toJSON(key) { return 'EUR ' + key; } }\n({ price: new Money() })",
        {"price": "EUR price"},
    ),
    "holes": ("[1, , 3]", [1, None, 3]),
    "null prototype": ("Object.assign(Object.create(null), { a: 1 })", {"a": 1}),
    "class instance": ("class P { constructor() { this.x = 1; } get y() { return 2; } }\nnew P()", {"x": 1}),
    "getter": ("({ get a() { return [1]; } })", {"a": [1]}),
    "the same twice": ("const o = { a: 1 }; [o, o]", [{"a": 1}, {"a": 1}]),
    "own __proto__": ('JSON.parse(\'{"__proto__": {"a": 1}}\')', {"__proto__": {"a": 1}}),
    "symbol keys": ("({ [Symbol('s')]: 1, b: 2 })", {"b": 2}),
    "proxy": ("new Proxy({ a: 1 }, {})", {"a": 1}),
    "proxy of a list": ("new Proxy([1, 2], {})", [1, 2]),
    "200 levels": ("let a = 1; for (let i = 0; i < 200; i++) a = [a]; a", json.loads("[" * 200 + "1" + "]" * 200)),
    "patched stringify": ("JSON.stringify = () => 'no'; ({ a: 1 })", {"a": 1}),
    "toJSON on all objects": (
        "Object.prototype.toJSON = Array.prototype.toJSON = () => 'no'; ({ a: [1] })",
        {"a": [1]},
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_value(js, name):
    source, expected = VALUES[name]
    assert js.run(source).value == expected


def test_a_lone_surrogate_becomes_the_replacement_character(js):
    ended = js.run("({ 'k\\udc00': 'x\\ud83d' })")
    assert ended.report.output.decode() == '{"k\ufffd":"x\ufffd"}'


REFUSED = {
    "({ items: [0, 1, { when: NaN }] })": ("result.items[2].when", "NaN"),
    "({ a: Infinity })": ("result.a", "Infinity"),
    "({ 'two words': 10n })": ('result["two words"]', "a BigInt"),
    "10n": ("result", "a BigInt"),
    "({ f() {} })": ("result.f", "a function"),
    "[Symbol('s')]": ("result[0]", "a Symbol"),
    "const c = { list: [] }; c.list.push(c); c": ("result.list[0]", "a cycle"),
    "({ m: new Map() })": ("result.m", "a Map"),
    "new Set()": ("result", "a Set"),
    "({ p: Promise.resolve(1) })": ("result.p", "a Promise"),
    "new Uint8Array(3)": ("result", "a typed array"),
    "new ArrayBuffer(3)": ("result", "an ArrayBuffer"),
    "[/x/]": ("result[0]", "a RegExp"),
    "new Error('x')": ("result", "an Error"),
    "({ rows: [new (class Bad extends TypeError { code = 1; })('x')] })": ("result.rows[0]", "an Error"),
    "(function* () { yield 1; })()": ("result", "an iterator"),
    "[1].values()": ("result", "an iterator"),
    "(async function* () {})()": ("result", "an async iterator"),
    "class M extends Map {}\nnew M()": ("result", "a Map"),
    "let a = 1; for (let i = 0; i < 201; i++) a = [a]; a": ("result[0][0]", "nested over 200"),
    "({ toJSON() { return { n: NaN }; } })": ("result.n", "NaN"),
}


@pytest.mark.parametrize("source", REFUSED)
def test_refused(js, source):
    path, what = REFUSED[source]
    failure = js.run(source).failure
    assert failure.kind is ErrorKind.INVALID_RESULT
    assert failure.message.startswith(path)
    assert what in failure.message


def test_a_hint_says_what_to_write(js):
    assert "Object.fromEntries" in js.run("new Map()").failure.hint
    assert "await" in js.run("[Promise.resolve()]").failure.hint


@pytest.mark.parametrize(
    "source",
    [
        "'x'.repeat(1001)",
        "'é'.repeat(600)",
        "Array(1000).fill(1)",
        "let a = ['lol']; for (let i = 0; i < 9; i++) a = Array(10).fill(a); a",
        "({ a: new Array(2 ** 32 - 1) })",
        "new Proxy([], { get: (t, k) => (k === 'length' ? 2 ** 31 : 0) })",
    ],
)
def test_too_large(js, source):
    failure = js.run(source, output_bytes=1000).failure
    assert failure.kind is ErrorKind.OUTPUT_LIMIT
    assert "1000 bytes" in failure.message


def test_exactly_the_limit_fits(js):
    assert js.run("'x'.repeat(998)", output_bytes=1000).value == "x" * 998


def test_a_result_is_read_once(js):
    source = "let n = 0; const o = { get a() { return ++n === 1 ? 1 : NaN; } }; o"
    assert js.run(source).value == {"a": 1}


def test_what_happens_after_the_result_was_taken_changes_nothing(js):
    source = """function main() {
      const o = { get a() { queueMicrotask(() => { o.b = 2; }); setTimeout(() => { o.c = 3; }, 0); return 1; } };
      return o;
    }"""
    assert js.run(source).value == {"a": 1}

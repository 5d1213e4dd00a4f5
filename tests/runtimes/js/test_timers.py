"""Timers and microtasks: order, cancelling, and when a program is over."""

from __future__ import annotations

import pytest

from langserver.core.outcome import ErrorKind

ORDERS = {
    "by time, then age": (
        "setTimeout(() => got.push('c'), 20); setTimeout(() => got.push('a'), 1); setTimeout(() => got.push('b'), 1);",
        ["a", "b", "c"],
    ),
    "microtasks between timers": (
        (
            "setTimeout(() => { got.push('t1'); Promise.resolve().then(() => got.push('m')); }, 1);"
            "setTimeout(() => got.push('t2'), 1);"
        ),
        ["t1", "m", "t2"],
    ),
    "microtasks first": (
        (
            "setTimeout(() => got.push('t')); queueMicrotask(() => got.push('m'));"
            "setImmediate(() => got.push('i')); got.push('s');"
        ),
        ["s", "m", "t", "i"],
    ),
    "arguments": ("setTimeout((a, b) => got.push(a + b), 1, 'x', 'y');", ["xy"]),
    "cleared": (
        "const id = setTimeout(() => got.push('never'), 1); clearTimeout(id); clearTimeout(99); clearTimeout();",
        [],
    ),
    "interval": (
        "let n = 0; const id = setInterval(() => { got.push(n); if (++n === 3) clearInterval(id); }, 1);",
        [0, 1, 2],
    ),
    "odd delays": ("for (const d of [-1, NaN, 'x', 1e12, null, 0.5]) setTimeout(() => got.push(1), d);", [1] * 6),
    "from a timer": ("setTimeout(() => setTimeout(() => got.push('inner'), 1), 1);", ["inner"]),
    "cleared in a timer": (
        "const a = setTimeout(() => clearTimeout(b), 1), b = setTimeout(() => got.push('b'), 1);",
        [],
    ),
}


@pytest.mark.parametrize("name", ORDERS)
def test_order(js, name):
    code, expected = ORDERS[name]
    source = (
        f"async function main() {{ const got = []; {code} await new Promise((r) => setTimeout(r, 60)); return got; }}"
    )
    assert js.run(source).value == expected


LATE = {
    "script": ("let result; setTimeout(() => { result = 5; }, 10);", 5),
    "script, over an earlier value": ("var result = 1; setTimeout(() => { result = 2; }, 5);", 2),
    "script, microtask of a timer": ("let result; setTimeout(() => Promise.resolve().then(() => { result = 3; }));", 3),
    "script, immediate": ("let result; setImmediate(() => { result = 4; });", 4),
    "script, timer of a timer": ("let result; setTimeout(() => setTimeout(() => { result = 6; }, 5), 5);", 6),
    "script, a promise given late": ("var result; setTimeout(() => { result = Promise.resolve(7); }, 5);", 7),
    "script, last value": ("const list = []; setTimeout(() => list.push(1), 5); list", [1]),
    "body": ("let result; await 1; setTimeout(() => { result = 5; }, 10);", 5),
    "body, function as value": ("await 1; let result; setTimeout(() => { result = { n: 1 }; }, 5);", {"n": 1}),
    "body, return": (
        "const list = []; setTimeout(() => list.push(await_), 5); const await_ = await 2; return list;",
        [2],
    ),
    "main's object": ("function main() { const o = {}; setTimeout(() => { o.a = 1; }, 5); return o; }", {"a": 1}),
    "exports": ("setTimeout(() => { module.exports = 8; }, 5);", 8),
    "exports, body": ("await 1; setTimeout(() => { exports.x = 9; }, 5);", {"x": 9}),
    "exported function": ("const l = []; setTimeout(() => l.push(1), 5); module.exports = () => l;", [1]),
    "main given late": ("var main; setTimeout(() => { main = (i) => 10; }, 5);", 10),
    "beside an interval": ("var result = 0; setInterval(() => { result += 0; }, 1); setTimeout(() => result++, 8);", 1),
    "interval that settles main": ("var result = new Promise((r) => setInterval(() => r(11), 1));", 11),
    "an interval runs while others wait": (
        "let n = 0, id = setInterval(() => { n++; }, 1); var result; setTimeout(() => { result = n > 0; }, 30);",
        True,
    ),
    "cleared by another": (
        "const a = setTimeout(() => { throw 1; }, 60000); setTimeout(() => clearTimeout(a), 5); var result = 12;",
        12,
    ),
}


@pytest.mark.parametrize("name", LATE)
def test_a_result_is_taken_after_all_timers(js, name):
    source, expected = LATE[name]
    assert js.run(source).value == expected


@pytest.mark.parametrize("main", ["function main() { return 1; }", "async function main() { return 1; }"])
def test_a_late_timer_is_heard(js, main):
    ended = js.run(f"setTimeout(() => console.log('late'), 10); {main}")
    assert ended.value == 1
    assert ended.logs == [("log", "late")]


def test_an_interval_that_nobody_clears_ends_with_the_program(js):
    ended = js.run("setInterval(() => console.log('never'), 10000); function main() { return 1; }", seconds=5)
    assert ended.value == 1
    assert ended.logs == []


def test_an_error_of_main_does_not_wait_for_timers(js):
    failure = js.run("setTimeout(() => 0, 60000); function main() { throw new RangeError('now'); }", seconds=5).failure
    assert (failure.type, failure.message) == ("RangeError", "now")


@pytest.mark.parametrize("callback", ["() => { throw new Error('late'); }", "async () => { throw new Error('late'); }"])
@pytest.mark.parametrize(
    "program",
    [
        "setTimeout({}, 5); function main() {{ return 1; }}",
        "var result = 1; setTimeout({}, 5);",
        "await 1; setTimeout({}, 5);",
    ],
)
def test_an_error_of_a_late_timer_is_the_programs(js, program, callback):
    failure = js.run(program.format(callback)).failure
    assert (failure.kind, failure.type, failure.message) == (ErrorKind.USER_ERROR, "Error", "late")
    assert failure.line == 1


def test_timers_without_end_are_ended_from_outside(js):
    source = "function main() { const again = () => setTimeout(again, 1); again(); return 1; }"
    ended = js.run(source, seconds=0.4)
    assert ended.timed_out
    assert ended.report is None


def test_many_timers_are_no_quadratic_cost(js):
    source = """async function main() {
  const ids = [];
  for (let i = 0; i < 100000; i++) ids.push(setTimeout(() => 0, 9 - i % 9));
  for (const id of ids) clearTimeout(id);
  await new Promise((done) => setTimeout(done, 10));
  return 'done';
}"""
    assert js.run(source).value == "done"


@pytest.mark.parametrize("call", ["setTimeout('code')", "setInterval()", "queueMicrotask(1)"])
def test_what_is_no_function_is_refused(js, call):
    assert js.run(f"let e; try {{ {call}; }} catch (error) {{ e = error instanceof TypeError; }} e").value is True

"""Timers and microtasks: order, cancelling, and when a program is over."""

from __future__ import annotations

import pytest

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


def test_a_program_is_over_when_main_is(js):
    source = "setTimeout(() => console.log('never'), 20000); setInterval(() => 0, 5); function main() { return 1; }"
    ended = js.run(source)
    assert ended.value == 1
    assert ended.logs == []


def test_many_timers_are_no_quadratic_cost(js):
    source = "function main() { for (let i = 0; i < 100000; i++) setTimeout(() => 0, 1e6 - i); return 'done'; }"
    assert js.run(source).value == "done"


@pytest.mark.parametrize("call", ["setTimeout('code')", "setInterval()", "queueMicrotask(1)"])
def test_what_is_no_function_is_refused(js, call):
    assert js.run(f"let e; try {{ {call}; }} catch (error) {{ e = error instanceof TypeError; }} e").value is True

"""How a program is entered, and what its result is."""

from __future__ import annotations

import pytest

from langserver.core.outcome import ErrorKind

ROW = {"a": 1, "b": 2}

DECORATED = """
import functools
def decorator(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs): return f(*args, **kwargs)
    return wrapper
@decorator
def main(a, b): return a + b
"""

ENTRIES = [
    ("def main(): return 7", ROW, 7),
    ("def main(x): return x", ROW, ROW),
    ("def main(a): return a", ROW, 1),
    ("def main(a, b): return [a, b]", ROW, [1, 2]),
    ("def main(b, c=5): return [b, c]", ROW, [2, 5]),
    ("def main(inputs=None, debug=False, **extra): return [inputs, debug, extra]", ROW, [ROW, False, {}]),
    ("def main(data, *, strict=True): return [data, strict]", ROW, [ROW, True]),
    ("def main(items): return items", {"items": [1]}, {"items": [1]}),
    ("def main(**kw): return kw", ROW, ROW),
    ("def main(a, **kw): return [a, kw]", ROW, [1, {"b": 2}]),
    ("def main(a, /, b): return [a, b]", ROW, [1, 2]),
    ("def main(*args): return args", ROW, [ROW]),
    ("def main(x): return x", [1, 2], [1, 2]),
    ("main = lambda inputs: inputs['a']", ROW, 1),
    ("async def main(a): return a", ROW, 1),
    ("class M:\n    def __call__(self, x): return x\nmain = M()", ROW, ROW),
    (DECORATED, ROW, 3),
    ("result = inputs['a']", ROW, 1),
    ("return inputs['a']", ROW, 1),
    ("if inputs['a']:\n    return 'early'\nresult = 'late'", ROW, "early"),
    ("if not inputs['a']:\n    return 'early'\nresult = 'late'", ROW, "late"),
    ("result = 1\nreturn None", ROW, None),
    ("x: int = 2\nfor i in range(3): x += i\ndef f():\n    global x\n    x += 1\nf()\nreturn x", {}, 6),
    ("import asyncio\nasync def f(): return 3\nvalue = await f()\nresult = value", {}, 3),
    ("from math import *\nif 1: return floor(2.5)", {}, 2),
    ("'doc'\nfrom __future__ import annotations\nreturn __doc__", {}, "doc"),
    ("def main(): return 1\nreturn 2", {}, 1),
    ("main = 5\nresult = 6", {}, 6),
    ("if __name__ == '__main__': result = 'script'", {}, "script"),
    ("", {}, None),
    ("# only a comment", {}, None),
]  # fmt: skip


@pytest.mark.parametrize(("source", "inputs", "expected"), ENTRIES)
def test_entry(run, plain, source, inputs, expected):
    assert run(source, inputs).value == expected
    assert plain(source, inputs).value == expected


def test_missing_input_is_named(run):
    failure = run("def main(a, missing): return 1", ROW).failure
    assert (failure.kind, failure.type) == (ErrorKind.USER_ERROR, "TypeError")
    assert "'missing'" in failure.message


def test_bad_input_never_starts(run):
    assert "NaN" in run("result = 1", b'{"a": NaN}').bad_input


def test_empty_input_is_an_empty_object(run):
    assert run("result = inputs", b"").value == {}

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
    ("def main(items): return items", {"items": [1]}, [1]),
    ("def main(items): return items", ROW, ROW),
    ("def main(data, strict=True): return [data, strict]", {"data": 1, "strict": False}, [1, False]),
    ("def main(input, **rest): return [input, rest]", {"input": 1, "a": 2}, [1, {"a": 2}]),
    ("def main(inputs): return inputs", {"inputs": [1]}, {"inputs": [1]}),
    ("def main(inputs, **rest): return [inputs, rest]", {"inputs": 1, "a": 2}, [{"inputs": 1, "a": 2}, {}]),
    ("def main(inputs=None): return inputs", {}, {}),
    ("def main(name='World'): return name", {}, "World"),
    ("def main(name='World', /): return name", {}, "World"),
    ("def main(name='World'): return name", {"name": "Ada"}, "Ada"),
    ("def main(name='World'): return name", ROW, ROW),
    ("def main(name='World'): return name", [], []),
    ("def main(lines): return lines", {}, {}),
    ("def main(a='x', b='y'): return [a, b]", {}, ["x", "y"]),
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
    ("calls = []\ndef main(): calls.append(1); return calls\nif __name__ == '__main__': main()", {}, [1]),
    ("def main(a): return a\nif __name__ == '__main__':\n    main()", ROW, 1),
    ("import asyncio\nasync def main(): return 4\nif __name__ == '__main__':\n    asyncio.run(main())", {}, 4),
    ("calls = []\nmain = lambda: calls.append(1) or calls\nif '__main__' == __name__: main()", {}, [1]),
    ("def solve(): return 2\nif __name__ == '__main__':\n    main = 5\n    result = solve()", {}, 2),
    ("class A:\n    def main(self): pass\nif __name__ == '__main__': result = 1", {}, 1),
    ("async def f(): return 3\ndef main(): return f()", {}, 3),
    ("", {}, None),
    ("# only a comment", {}, None),
]  # fmt: skip


MADE_BY_LIBRARY = """
import collections, dataclasses, enum, typing
@dataclasses.dataclass
class D:
    x: int
@dataclasses.dataclass(slots=True, frozen=True, order=True)
class S:
    x: int = 1
    ys: list = dataclasses.field(default_factory=list)
E = enum.Enum
class C(E):
    A = 1
class T(typing.TypedDict):
    a: int
class N(typing.NamedTuple):
    a: int
P = collections.namedtuple("P", "a")
M = dataclasses.make_dataclass("M", ["a"])
V = typing.TypeVar("V")
class G(typing.Generic[V]): pass
def made():
    kinds = {cls.__module__ for cls in (D, S, C, N, P, G, T)}
    return [repr(D(1)), repr(S()), S(1) < S(2), repr(C.A), N(1), P(2), repr(M(3)), kinds == {__name__}, __name__]
"""
SHOWN = ["D(x=1)", "S(x=1, ys=[])", True, "<C.A: 1>", [1], [2], "M(a=3)", True]


@pytest.mark.parametrize(
    ("entry", "name"), [("def main(): return made()", "__task__"), ("result = made()", "__main__")]
)
def test_library_finds_the_module_of_the_program(run, plain, entry, name):
    assert run(MADE_BY_LIBRARY + entry).value == [*SHOWN, name]
    assert plain(MADE_BY_LIBRARY + entry).value == [*SHOWN, name]


@pytest.mark.parametrize(("source", "inputs", "expected"), ENTRIES)
def test_entry(run, plain, source, inputs, expected):
    assert run(source, inputs).value == expected
    assert plain(source, inputs).value == expected


def test_missing_input_is_named(run):
    failure = run("def main(a, missing): return 1", ROW).failure
    assert (failure.kind, failure.type) == (ErrorKind.USER_ERROR, "TypeError")
    assert "'missing'" in failure.message
    assert failure.hint == "give it a default, or pass the key in the input"
    assert "give them" in run("def main(b, c, d): return 1", {"c": 1}).failure.hint


def test_first_parameter_that_is_no_key_is_told_of_inputs(run):
    failure = run("def main(event, context=None): return event", ROW).failure
    assert failure.message == "main() needs 'event', which the input does not have"
    assert failure.hint == "name the first parameter inputs to get the whole input, or give it a default"


@pytest.mark.parametrize("leaving", ["import sys; sys.exit(0)", "raise SystemExit(3)", "exit()", "quit(1)"])
def test_a_program_that_leaves_is_told_how_one_ends(run, leaving):
    failure = run(leaving).failure
    assert failure.kind is ErrorKind.USER_ERROR
    assert failure.hint.startswith("a program ends by returning; ")


def test_bad_input_never_starts(run):
    assert "NaN" in run("result = 1", b'{"a": NaN}').bad_input


def test_empty_input_is_an_empty_object(run):
    assert run("result = inputs", b"").value == {}

"""Results as JSON."""

from __future__ import annotations

import pytest

from langserver.core.outcome import ErrorKind

PRELUDE = """
import collections, collections.abc, dataclasses, datetime, decimal, enum, math, uuid, typing
@dataclasses.dataclass
class P:
    x: int
    when: object = None
class E(enum.Enum):
    A = "a"
class N(typing.NamedTuple):
    a: int
"""

GOOD = [
    ("datetime.datetime(2024, 1, 2, 3, 4, tzinfo=datetime.timezone.utc)", "2024-01-02T03:04:00+00:00"),
    ("datetime.date(2024, 1, 2)", "2024-01-02"),
    ("datetime.time(1, 2)", "01:02:00"),
    ("decimal.Decimal('1.10')", "1.10"),
    ("uuid.UUID(int=1)", "00000000-0000-0000-0000-000000000001"),
    ("[E.A, {E.A: 1}]", ["a", {"a": 1}]),
    ("P(1, P(2))", {"x": 1, "when": {"x": 2, "when": None}}),
    ("{3, 1, 2}", [1, 2, 3]),
    ("(1, N(2))", [1, [2]]),
    ("{1: 'a', None: 'b', True: 'c', 1.5: 'd'}", {"1": "c", "null": "b", "1.5": "d"}),
    ("collections.OrderedDict(a=1)", {"a": 1}),
    ("collections.Counter('aa')", {"a": 2}),
    ("'\\u2028 \\x00'", "\u2028 \x00"),
    ("'\\ud800'", "\ufffd"),  # strict readers of JSON refuse a lone surrogate
    ("[True, 0.1, -0.0, 1e300]", [True, 0.1, -0.0, 1e300]),
]

BAD = [
    ("{'items': [1, {'when': float('nan')}]}", "result.items[1].when is nan"),
    ("{'a b': b'x'}", 'result["a b"] is bytes'),
    ("[float('inf')]", "result[0] is inf"),
    ("{(1, 2): 3}", "a key of result is a tuple"),
    ("{'f': len}", "result.f is a builtin_function_or_method"),
    ("P(1, object())", "result.when is an object"),
    ("iter([1])", "result is a list_iterator"),
    ("math", "result is a module"),
    ("P", "result is a class"),
    ("type(iter([]))", "result is a class"),
    ("collections.UserDict()", "result is a UserDict"),
    ("[collections.UserList()]", "result[0] is a UserList"),
    ("{}.keys()", "result is dict_keys"),
    ("collections.abc.Sized", "result is a class"),
    ("loop", "result[0] contains itself"),
    ("deep", "nested over 200 levels"),
    ("Bad()", "result[0] is an object"),
    ("Raises(1)", "result.x could not be read: KeyError"),
]

MADE = """
loop = []
loop.append(loop)
deep = []
for _ in range(250):
    deep = [deep]
class Bad(list):
    def __init__(self): super().__init__([object()])
    def __iter__(self): return iter([1])
    def __len__(self): return 1
@dataclasses.dataclass
class Raises:
    x: int
    def __getattribute__(self, name): raise KeyError(name)
"""


def test_integers_keep_all_their_digits(run):
    report = run("result = 10 ** 20000 + 7").report
    assert report.output == b"1" + b"0" * 19_999 + b"7"


@pytest.mark.parametrize(("expression", "expected"), GOOD)
def test_result(run, expression, expected):
    assert run(f"{PRELUDE}\nresult = {expression}").value == expected


@pytest.mark.parametrize(("expression", "words"), BAD)
def test_no_json(run, expression, words):
    source = f"{PRELUDE}{MADE}\nresult = {expression}"
    if "Raises" in expression:
        words = "could not be read: KeyError"
    ran = run(source)
    assert ran.kind is ErrorKind.INVALID_RESULT
    assert words in ran.failure.message


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        ("b''", "base64"),
        ("[datetime.timedelta(1)]", "total_seconds()"),
        ("math.nan", "None"),
        ("[-math.inf]", "None"),
        ("iter([1])", "list(...)"),
        ("range(3)", "list(...)"),
        ("len", "call it"),
        ("{(1, 2): 3}", "str(key)"),
        ("{'a': later()}", "await it"),
    ],
)
def test_no_json_says_what_to_write(run, expression, hint):
    failure = run(f"{PRELUDE}async def later(): return 1\nresult = {expression}").failure
    assert (failure.kind, hint in failure.hint) == (ErrorKind.INVALID_RESULT, True), failure


HOSTILE = """
class D(dict):
    def items(self): return [("forged", 1)]
    def __iter__(self): raise SystemExit
    def keys(self): return ["forged"]
class S(str):
    def __str__(self): return "forged"
    def __repr__(self): raise KeyboardInterrupt
    def encode(self, *a): return b"forged"
class I(int):
    def __repr__(self): return "forged"
    __str__ = __repr__
result = [D(a=S("real")), I(5)]
"""


def test_hostile_subclasses_are_taken_for_what_they_are(run):
    assert run(HOSTILE).value == [{"a": "real"}, 5]


@pytest.mark.parametrize("source", ["'x' * 5000", "[1] * 5000", "['xxxxxxxxx'] * 500", "10 ** 5000", "'\\u00e9' * 900"])
def test_output_over_its_limit(run, source):
    failure = run(f"result = {source}", output_bytes=1000).failure
    assert failure.kind is ErrorKind.OUTPUT_LIMIT
    assert "1000" in failure.message


def test_output_at_its_limit(run):
    assert len(run("result = 'x' * 998", output_bytes=1000).value) == 998


def test_fifty_thousand_rows(run):
    source = "result = [{'id': n, 'name': f'row {n}'} for n in range(50_000)]"
    value = run(source, seconds=60).value
    assert len(value) == 50_000
    assert value[-1] == {"id": 49_999, "name": "row 49999"}


def test_keys_are_those_of_json(run):
    keys = """
from enum import Enum, IntEnum
class Kind(Enum): A = "a"
class Level(IntEnum): ONE = 1
result = {None: 0, True: 1, False: 2, 1.5: 3, -7: 4, 10**30: 5, Kind.A: 6, "é": 7, Level.ONE + 1: 8}
"""
    expected = ["null", "true", "false", "1.5", "-7", "1" + "0" * 30, "a", "é", "2"]
    assert list(run(keys).value) == expected
    for key, words in [("(1, 2)", "a key of result is a tuple"), ("float('inf')", "inf"), ("b'x'", "is bytes")]:
        assert words in run(f"result = {{{key}: 1}}").failure.message

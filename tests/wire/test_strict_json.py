"""A request's input: strict JSON, nested at most 200 deep."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langserver.wire.strict_json import MAX_DEPTH, BadInput, parse_strict, within_depth

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=30,
)


def depth(value: object) -> int:
    children = value if isinstance(value, list) else value.values() if isinstance(value, dict) else None
    return 0 if children is None else 1 + max(map(depth, children), default=0)


@given(values)
def test_json_is_parsed_as_json(value: object) -> None:
    assert parse_strict(json.dumps(value).encode()) == value


@given(values, st.integers(0, 6))
def test_the_depth_seen_in_the_bytes_is_the_depth_of_the_value(value: object, limit: int) -> None:
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert within_depth(text, limit) == (depth(value) <= limit)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_the_limit_is_exact(opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    parse_strict((opening * MAX_DEPTH + "1" + closing * MAX_DEPTH).encode())
    with pytest.raises(BadInput, match="nested over 200"):
        parse_strict((opening * (MAX_DEPTH + 1) + "1" + closing * (MAX_DEPTH + 1)).encode())


def test_100_000_levels_are_refused() -> None:
    with pytest.raises(BadInput, match="nested over 200"):
        parse_strict(b"[" * 100_000 + b"]" * 100_000)


def test_a_long_text_is_read_in_pieces_and_cut_nowhere_that_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("langserver.wire.strict_json._CHUNK", 3)
    text = json.dumps([['[\\"', "\\\\", '"'] * 60, "[" * 50, [[["{"]]]]).encode()
    assert [within_depth(text, limit) for limit in (3, 4)] == [False, True]


def test_brackets_in_strings_are_no_depth() -> None:
    assert parse_strict(json.dumps(["[" * 500, '\\"[{' * 100]).encode()) == ["[" * 500, '\\"[{' * 100]


def test_integers_keep_all_their_digits() -> None:
    digits = "9" * 10_000
    assert parse_strict(digits.encode()) == 10**10_000 - 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9007199254740993", 9007199254740993),
        ("-0", 0),
        ("-0.0", -0.0),
        ("1e400", float("inf")),
        ("-1e400", float("-inf")),
        ("1e-400", 0.0),
        ("1.0", 1.0),
    ],
)
def test_a_number_is_what_json_loads_makes_of_it(text: str, value: float) -> None:
    read = parse_strict(text.encode())
    assert (type(read), repr(read)) == (type(value), repr(value))


def test_an_empty_text_is_an_empty_object() -> None:
    assert parse_strict(b"") == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"NaN", "NaN is no JSON value"),
        (b'"\xed\xa0\x80"', "not UTF-8 at byte 1"),
        (b"[Infinity]", "Infinity is no JSON value"),
        (b"-Infinity", "-Infinity is no JSON value"),
        (b"{'a':1}", "is not JSON.*line 1 column 2"),
        (b"[1,]", "Illegal trailing comma before end of array at line 1 column 3"),
        (b'{"a": 1,\n }', "Illegal trailing comma before end of object at line 1 column 8"),
        (b"[1\n,\t\r\n ]", "Illegal trailing comma before end of array at line 2 column 1"),
        (b"[1,}", "Expecting value at line 1 column 4"),
        (b"[1,,]", "Expecting value at line 1 column 4"),
        (b"[1,", "Expecting value at line 1 column 4"),
        (b"[,]", "Expecting value at line 1 column 2"),
        (b'{"a": 1,]', "Expecting property name enclosed in double quotes at line 1 column 9"),
        (b'{"a":}', "Expecting value at line 1 column 6"),
        (b"1 2", "Extra data at line 1 column 3"),
        (b"\xff", "not UTF-8 at byte 0"),
        (b'"\x01"', "is not JSON: Invalid control character"),
        (b" ", "is not JSON"),
    ],
)
def test_what_is_no_json_is_refused_with_the_place(text: bytes, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        parse_strict(text)

"""A result is JSON as callers' parsers will read it, told without making its value."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langserver.wire.strict_json import BadInput, parse_strict
from langserver.zygote.result_check import output_fault

GOOD = [
    b"null", b" 1 ", b"-0.5e+3", b'"\\u00e9"', '"é"'.encode(), b'{"a": [1, {"b": null}]}', b'{"a": 1, "a": 2}',
    b"1" * 100_000, b"[" * 200 + b"]" * 200, b'"' + b"[" * 1000 + b'"', b'"\\ud83d\\ude00"',
]  # fmt: skip
BAD = [
    b"", b" ", b"nul", b"NaN", b"Infinity", b"-Infinity", b"01", b"1.", b"+1", b"0x1", b"'a'", b'"a', b'"\\x"',
    b'"\\u12"',
    b'"\n"', b'"\0"', b"1 2", b"1\0", b"[1,]", b'{"a":1,}', b"{1:2}", b'{"a"}', b"[", b"]", b"/**/1", b"\xef\xbb\xbf1",
    b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\x80"', b'"\\ud800"', b'"\\ude00"', b'"\\ud800\\u0041"',
    b"[" * 201 + b"]" * 201, b'{"a":' * 201 + b"1" + b"}" * 201, b"[" * (1 << 20), b'{"a":' * (1 << 18),
    b"]" * (1 << 20),
]  # fmt: skip


def short(text: bytes) -> str:
    return f"{text[:20]!r} {len(text)}"


@pytest.mark.parametrize("text", GOOD, ids=short)
async def test_json(text: bytes) -> None:
    assert await output_fault(text) is None


@pytest.mark.parametrize("text", BAD, ids=short)
async def test_no_json(text: bytes) -> None:
    assert await output_fault(text)


pieces = st.sampled_from(
    [b"[", b"]", b"{", b"}", b",", b":", b'"', b'"a"', b"1", b"-", b".5", b"e3", b"null", b"\\", b" "]
)


@given(st.one_of(st.lists(pieces, max_size=12).map(b"".join), st.binary(max_size=20)))
async def test_it_is_what_a_strict_parser_takes(text: bytes) -> None:
    try:
        value = parse_strict(text or b"nothing")
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate is a value to Python, and no Unicode text
    except (BadInput, UnicodeEncodeError):
        assert await output_fault(text)
    else:
        assert await output_fault(text) is None


@pytest.mark.parametrize("size", [1 << 14, 1 << 20], ids=["in the loop", "beside it"])
async def test_no_value_is_made(size: int) -> None:
    """A list of so many dictionaries would take fifty times its text."""
    text = b"[" + b"{}," * (size // 3) + b"{}]"
    tracemalloc.start()
    try:
        assert await output_fault(text) is None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(text) + (1 << 16)

"""JSON of both directions: what the server lets through of a result, and what a child takes as input."""

from __future__ import annotations

import json
import sys

from langserver.wire import strict_json
from langserver.wire.strict_json import MAX_DEPTH, BadInput, parse_strict, within_depth
from langserver.zygote.result_check import _fault
from tests.fuzz import oracle
from tests.fuzz.source import Source

_CHUNKS = (strict_json._CHUNK, 1, 3, 7)


def seeds() -> list[bytes]:
    texts = [
        b"null", b" [1, -2.5e+10, true, false, {}] ", b'{"a": {"b": [[]]}, "c": "\\u20ac\\n"}', b'"\\ud83d\\ude00"',
        b'"\\ud800"', b'"\\udc00"', b'"\\ud800\\ud800"', b'"\xed\xa0\x80"', b'"\xc0\x80"', b'"\xff"', b"NaN",
        b"[Infinity]", b"-Infinity", b'{"a":1,"a":2}', b"1 2", b"[1,]", b'{"a":1,}', b"{1:2}", b"01", b"1.", b".5",
        b"1e", b"-", b"1e999999", b"9" * 5000, b'"\x01"', b'"\\x"', b'"\\u12"', b"", b" ", b"\xef\xbb\xbf1", b"[" * 300,
        b"[" * 200 + b"]" * 200, b"[" * 201 + b"]" * 201, b'{"a":' * 201 + b"1" + b"}" * 201,
        b'"\\\\"', b'["\\\\",["\\""]]',
        b'"[[[["', b"tru", b"nulll", b"[1}", b"'a'", b"/**/1", b"1\0",
    ]  # fmt: skip
    return [bytes([chunk]) + text for text in texts for chunk in range(2)]


def check(data: bytes) -> None:
    source = Source(data)
    strict_json._CHUNK = source.choice(_CHUNKS)
    try:
        _check(source.rest())
    finally:
        strict_json._CHUNK = _CHUNKS[0]


def _check(text: bytes) -> None:
    depth = oracle.json_depth(text)
    _check_result(text, depth)
    _check_input(text, depth)
    if depth is not None:
        for limit in (0, 1, depth - 1, depth, MAX_DEPTH):
            assert within_depth(text, limit) == (depth <= limit)


def _check_result(text: bytes, depth: int | None) -> None:
    accepted = _fault(text) is None
    assert accepted == (depth is not None and depth <= MAX_DEPTH)
    if accepted:
        assert _plain(text)


def _check_input(text: bytes, depth: int | None) -> None:
    digits = sys.get_int_max_str_digits()
    try:
        parse_strict(text)
        accepted = True
    except BadInput:
        accepted = False
    assert sys.get_int_max_str_digits() == digits
    if not text:
        assert accepted  # an empty input is {}
    elif depth is not None:
        assert accepted == (depth <= MAX_DEPTH)
    else:
        # Input may hold half of a surrogate pair as an escape; nothing else that is no JSON.
        assert not accepted or (b"\\u" in text and _plain(text))


def _plain(text: bytes) -> bool:
    def refuse(name: str) -> None:
        raise ValueError(name)

    try:
        json.loads(text.decode(), parse_constant=refuse, parse_int=len)
    except (ValueError, RecursionError):
        return False
    return True

"""Where a JSON text holds half of a surrogate pair."""

from __future__ import annotations

import json
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operating.surrogates import half_pair

_PIECES = ["\\ud83d", "\\uDE00", "\\\\", "\\n", '\\"', "\\u0041", "\\ud7ff", "u", "d83d", "é", "\\uDBFF\\uDFFF"]


@given(st.lists(st.sampled_from(_PIECES)))
def test_it_is_found_where_a_strict_reader_refuses_and_nowhere_else(pieces: list[str]) -> None:
    text = f'["{"".join(pieces)}"]'.encode()
    told = half_pair(text)
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        assert told is not None
        at = int(re.findall(r"at byte ([0-9]+) ", told)[0])
        assert told.encode().startswith(text[at : at + 6])
        json.loads(text[:at] + b'"]')[0].encode()  # up to there it is whole
        with pytest.raises(UnicodeEncodeError):
            json.loads(text[: at + 6] + b'"]')[0].encode()
    else:
        assert told is None


@pytest.mark.parametrize("piece", [b"\\\\", b"a", b"\\u0041", b"\\ud83d\\ude00", b"\\"])
def test_a_long_text_ends(piece: bytes) -> None:
    assert half_pair(b'"' + piece * 500_000 + b'"') is None

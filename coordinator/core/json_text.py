"""Whether bytes are the text of one JSON value, told without building it."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

import msgspec

from coordinator.core.bounds import JSON_DEPTH
from operating.surrogates import half_pair

_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_NO_BRACKET: Final = bytes(set(range(256)) - set(b"[]{}"))
_STEPS: Final = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # +1 and -1 as signed bytes


def fault(text: bytes) -> str | None:
    """Why this is no JSON text of ours, or None: UTF-8, the standard's grammar, nested at most JSON_DEPTH deep.

    Half of a surrogate pair is none either: what is stored is read by all kinds of readers.
    """
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start}"
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except RecursionError:
        return f"nested over {JSON_DEPTH} levels"
    except msgspec.DecodeError as error:
        return half_pair(text) or str(error)
    return None if _within_depth(text) else f"nested over {JSON_DEPTH} levels"


def _within_depth(text: bytes) -> bool:
    """Of a text whose grammar was checked."""
    if text.count(b"[") + text.count(b"{") <= JSON_DEPTH:
        return True
    brackets = _STRING.sub(b"", text).translate(None, _NO_BRACKET).translate(_STEPS)
    return max(accumulate(memoryview(brackets).cast("b"))) <= JSON_DEPTH

"""Second opinions: frames, the order of frames, and JSON, each read in another way than the product does."""

from __future__ import annotations

import re
from collections.abc import Mapping

from langserver.wire.frames import Kind

_TOKEN = re.compile(
    rb"""[ \t\n\r]*(?:
      (?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")
    | (?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    | (?P<word>true|false|null)
    | (?P<mark>[\[\]{}:,])
    | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_ESCAPES = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
# What may come next, by what it is: the grammar of RFC 8259 as a table.
_VALUE, _FIRST, _KEY, _FIRST_KEY, _COLON, _AFTER = range(6)


def frames(stream: bytes, caps: Mapping[Kind, int]) -> tuple[list[tuple[int, bytes]], bytes, bool]:
    """The frames at the front of a stream, what is left of it, and whether that can still become a frame."""
    found: list[tuple[int, bytes]] = []
    known = {int(kind): cap for kind, cap in caps.items()}
    while len(stream) >= 5:
        kind, length = stream[0], int.from_bytes(stream[1:5], "big")
        if kind not in known or length > known[kind]:
            return found, stream, False
        if len(stream) < 5 + length:
            break
        found.append((kind, stream[5 : 5 + length]))
        stream = stream[5 + length :]
    return found, stream, True


def in_order(kinds: list[int], wants_form: bool = False) -> bool:
    """Whether a child may say this: sealed event* (bad_input | started (log* cut?, events anywhere) report?).

    With `wants_form`: sealed event* (compiled event* (bad_input | started ...) | started ...).
    """
    letters = {Kind.SEALED: "s", Kind.STARTED: "g", Kind.BAD_INPUT: "b", Kind.LOG: "l", Kind.LOGS_TRUNCATED: "c"}
    letters |= {Kind.EVENT: "e", Kind.REPORT: "r", Kind.COMPILED: "m"}
    said = "".join(letters[Kind(kind)] for kind in kinds)
    if wants_form:
        return bool(re.fullmatch(r"(s(e*(me*(b|g[le]*(ce*)?r?)?|g[le]*(ce*)?r?)?))?", said))
    return bool(re.fullmatch(r"(s(e*(b|g[le]*(ce*)?r?)?))?", said))


def json_depth(text: bytes) -> int | None:
    """How deep a JSON text nests (RFC 8259); None when it is none, not UTF-8, or has half a surrogate pair."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return None
    stack, deepest, expected, at = bytearray(), 0, _VALUE, 0
    while True:
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        at, kind, mark = token.end(), token.lastgroup, token["mark"]
        if kind == "end":
            return deepest if expected == _AFTER and not stack else None
        if kind == "string" and not _pairs_up(token["string"]):
            return None
        if mark in (b"]", b"}"):
            opening = b"[" if mark == b"]" else b"{"
            empty = _FIRST if mark == b"]" else _FIRST_KEY
            if stack[-1:] != opening or expected not in (empty, _AFTER):
                return None
            stack.pop()
            expected = _AFTER
        elif expected in (_KEY, _FIRST_KEY):
            if kind != "string":
                return None
            expected = _COLON
        elif expected == _COLON:
            if mark != b":":
                return None
            expected = _VALUE
        elif expected == _AFTER:
            if mark != b"," or not stack:
                return None
            expected = _VALUE if stack[-1:] == b"[" else _KEY
        elif mark in (b"[", b"{"):
            stack += mark
            deepest = max(deepest, len(stack))
            expected = _FIRST if mark == b"[" else _FIRST_KEY
        elif kind == "mark":
            return None
        else:
            expected = _AFTER


def _pairs_up(string: bytes) -> bool:
    """Whether every escaped high surrogate is followed by an escaped low one, and none comes alone."""
    high_ends_at = None
    for escape in _ESCAPES.finditer(string):
        number = int(escape[1], 16) if escape[1] else 0
        low = 0xDC00 <= number <= 0xDFFF
        if low != (high_ends_at == escape.start()):
            return False
        high = 0xD800 <= number <= 0xDBFF
        if high_ends_at is not None and not low:
            return False
        high_ends_at = escape.end() if high else None
    return high_ends_at is None

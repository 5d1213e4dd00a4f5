"""How a request can fail."""

from __future__ import annotations

import codecs
import re
from enum import StrEnum
from typing import Final

EXCERPT_BYTES: Final = 1_024

# Whatever a terminal, a log or a reader's eye could be misled by: controls, direction marks, what shows as nothing.
_UNSAFE = re.compile(r"[^\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u05ff\u0900-\u1fff\u2e80-\ud7ff\uf900-\ufaff]|\\")


class Kind(StrEnum):
    """The word that an error begins with."""

    BAD_REQUEST = "BAD_REQUEST"
    EGRESS_REFUSED = "EGRESS_REFUSED"
    CONNECT_FAILED = "CONNECT_FAILED"
    TIMEOUT = "TIMEOUT"
    HTTP_STATUS = "HTTP_STATUS"
    BAD_RESPONSE = "BAD_RESPONSE"
    TOO_LARGE = "TOO_LARGE"
    TOO_MANY_REDIRECTS = "TOO_MANY_REDIRECTS"


class Failure(Exception):
    """What a task fails with; `terminal`: the same request would fail so again."""

    def __init__(self, kind: Kind, text: str, *, terminal: bool = False) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.terminal = terminal


def excerpt(hostile: bytes, most_bytes: int = EXCERPT_BYTES) -> str:
    """The beginning of what a server sent, on one line, in at most so many bytes of UTF-8."""
    text = hostile[: 4 * most_bytes].decode(errors="replace")
    shown: list[str] = []
    size = 0
    for character in text:
        safe = _UNSAFE.sub(_escaped, character)
        size += len(safe.encode())
        if size > most_bytes - 3:  # room for the dots
            return "".join(shown) + "..."
        shown.append(safe)
    return "".join(shown)


def _escaped(found: re.Match[str]) -> str:
    character = found.group()
    if character == "\N{REPLACEMENT CHARACTER}":
        return "?"
    return codecs.encode(character, "unicode_escape").decode()

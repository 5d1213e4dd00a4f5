"""How a request can fail."""

from __future__ import annotations

import codecs
import re
from enum import StrEnum
from typing import Final

EXCERPT_BYTES: Final = 1_024

# Nothing that a terminal, a log or a reader's eye could be misled by: controls, direction marks, what shows as nothing.
_SHOWN = re.compile(
    r"[\x20-\x5b\x5d-\x7e\xa1-\xac\xae-\u02ff\u0370-\u05ff\u0900-\u115e\u1161-\u17b3\u17b6-\u1fff"
    r"\u2e80-\u3163\u3165-\ud7ff\uf900-\ufaff]"
)


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
        # Those ranges have holes, which are no characters yet, and single marks of control.
        safe = character if _SHOWN.match(character) and character.isprintable() else _escaped(character)
        size += len(safe.encode())
        if size > most_bytes - 3:  # room for the dots
            return "".join(shown) + "..."
        shown.append(safe)
    return "".join(shown)


def _escaped(character: str) -> str:
    if character == "\N{REPLACEMENT CHARACTER}":
        return "?"
    return codecs.encode(character, "unicode_escape").decode()

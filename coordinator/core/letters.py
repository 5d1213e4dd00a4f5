"""Dead letters: entries that were parked, as far as they can be read. Their text is whoever's can write to a stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

_MOST_CHARACTERS: Final = 1_000
_MOST_ATTEMPT: Final = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Letter:
    """One parked entry. `attempt` 0 and empty texts are not known."""

    stream: str
    entry_id: str
    reason: str
    origin: str
    run_id: str
    task_id: str
    attempt: int

    @property
    def name(self) -> str:
        """An id alone may be there in two streams."""
        return f"{self.stream}/{self.entry_id}"


def read_letter(stream: str, entry_id: str, fields: Mapping[str, str]) -> Letter:
    """Never fails: what cannot be read is empty."""
    named = {**_payload(fields.get("payload", "")), **fields}
    return Letter(
        stream=stream,
        entry_id=entry_id,
        reason=_text(named, "reason"),
        origin=_text(named, "origin"),
        run_id=_text(named, "run_id"),
        task_id=_text(named, "task_id"),
        attempt=_attempt(_text(named, "attempt")),
    )


class _Named(msgspec.Struct):
    """Of a payload that may be anything, of any size, no more than this is built."""

    run_id: str = ""
    task_id: str = ""
    attempt: int | str = ""


def _payload(text: str) -> dict[str, object]:
    """The fields of an entry that has them as one JSON object."""
    try:
        found = msgspec.json.decode(text, type=_Named)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}
    return {"run_id": found.run_id, "task_id": found.task_id, "attempt": found.attempt}


def _text(named: Mapping[str, object], name: str) -> str:
    return str(named.get(name, ""))[:_MOST_CHARACTERS]


def _attempt(text: str) -> int:
    return min(int(text), _MOST_ATTEMPT) if text.isascii() and text.isdecimal() and len(text) < 12 else 0

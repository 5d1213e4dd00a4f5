"""Dead letters: entries that were parked, as far as they can be read. Their text is whoever's can write to a stream."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from coordinator.errors import InvalidRequest

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

    @property
    def parked_at(self) -> float:
        """Seconds since 1970, by the clock of Redis, which makes ids; whoever can write to it may choose his."""
        return int(self.entry_id.partition("-")[0]) / 1000


@dataclass(frozen=True, slots=True)
class Choice:
    """Which letters are meant: these names, or an age in seconds."""

    names: frozenset[str]
    older_than: float | None

    def among(self, letters: Iterable[Letter], now: float) -> list[Letter]:
        """`now` in seconds since 1970."""
        if self.older_than is None:
            return [letter for letter in letters if letter.name in self.names]
        return [letter for letter in letters if letter.parked_at <= now - self.older_than]


def choice(names: Collection[str], older_than: int | None) -> Choice:
    """Nothing is chosen by leaving everything out. Raises InvalidRequest."""
    if bool(names) is (older_than is not None):
        raise InvalidRequest("which letters? Either by letters or by older_than_seconds")
    if older_than is not None and older_than < 0:
        raise InvalidRequest(f"older_than_seconds is {older_than}: a number from 0 is expected")
    return Choice(frozenset(names), older_than)


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

"""Dead letters: entries that were parked, as far as they can be read. Their text is whoever's can write to a stream."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_MOST_CHARACTERS: Final = 1_000
_MOST_PAYLOAD: Final = 32 << 20
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


def _payload(text: str) -> dict[str, object]:
    """The fields of an entry that has them as one JSON object."""
    if not text or len(text) > _MOST_PAYLOAD:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(named: Mapping[str, object], name: str) -> str:
    """Without lone surrogates, which no protobuf string holds."""
    value = named.get(name, "")
    text = str(value) if isinstance(value, str | int) else ""
    return text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()


def _attempt(text: str) -> int:
    return min(int(text), _MOST_ATTEMPT) if text.isascii() and text.isdecimal() and len(text) < 12 else 0

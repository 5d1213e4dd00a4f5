"""Reading a stream entry. Whoever can write to the stream may have written it: capped, then parsed, or poison."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from operating.traceparent import parse_traceparent
from worker_bridge.core.json_text import Members, value

MAX_ENTRY_BYTES: Final = (
    20 << 20
)  # of all names and values together; a language server takes 1 MiB of code, 16 MiB of input
MAX_ENTRY_FIELDS: Final = 32
MAX_ID_CHARACTERS: Final = 256

_HIGHEST_ATTEMPT: Final = (1 << 31) - 1
_ATTEMPT = re.compile(r"[0-9]{1,10}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NAMES: Final = ("task_id", "run_id", "node_id", "node_type", "workflow_id", "workflow_version")
_PAYLOAD: Final = Members(*_NAMES, "attempt", "input", "traceparent")
_REQUIRED: Final = ("task_id", "run_id", "node_type")

Fields = Mapping[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Task:
    """What an entry asks for. `input` is JSON text as it was written, unread; `traceparent` may be empty."""

    task_id: str
    run_id: str
    node_id: str
    node_type: str
    workflow_id: str
    workflow_version: str
    attempt: int
    input: str = field(repr=False)
    traceparent: str = ""


@dataclass(frozen=True, slots=True)
class Poison:
    """An entry that means no task."""

    reason: str


def parse_entry(fields: Fields) -> Task | Poison:
    """Reads an entry's fields: one each, or all as members of the JSON object in the one field `payload`."""
    size = sum(len(name) + len(value) for name, value in fields.items())
    if len(fields) > MAX_ENTRY_FIELDS:
        return Poison(f"{len(fields)} fields, more than {MAX_ENTRY_FIELDS}")
    if size > MAX_ENTRY_BYTES:
        return Poison(f"{size} bytes, more than {MAX_ENTRY_BYTES}")
    try:
        return _task(_texts(fields))
    except ValueError as error:
        return Poison(str(error))


def _texts(fields: Fields) -> dict[str, str]:
    try:
        texts = {name.decode(): value.decode() for name, value in fields.items()}
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    if "payload" not in texts:
        return texts
    try:
        return {name: _text(name, text) for name, text in _PAYLOAD.of(texts["payload"]).items()}
    except ValueError as error:
        raise ValueError(f"payload: {error}") from None


def _text(name: str, text: str) -> str:
    """A string is what it says; `input` may be written as the value itself, `attempt` as a number."""
    if text.startswith('"') or name not in ("input", "attempt"):
        try:
            return value(text, str)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return text


def _task(texts: Mapping[str, str]) -> Task:
    for name in _NAMES:
        text = texts.get(name, "")
        if not text and name in _REQUIRED:
            raise ValueError(f"{name} is missing")
        if len(text) > MAX_ID_CHARACTERS:
            raise ValueError(f"{name} has {len(text)} characters, more than {MAX_ID_CHARACTERS}")
        if _CONTROL.search(text):
            raise ValueError(f"{name} holds a character that no name has")
    traceparent = texts.get("traceparent", "")
    return Task(
        **{name: texts.get(name, "") for name in _NAMES},
        attempt=_attempt(texts.get("attempt") or "1"),
        input=texts.get("input") or "{}",
        traceparent=traceparent if parse_traceparent(traceparent) else "",
    )


def _attempt(text: str) -> int:
    if not _ATTEMPT.fullmatch(text) or not 1 <= int(text) <= _HIGHEST_ATTEMPT:
        raise ValueError(f"attempt is {text[:20]!r}: expected a number from 1")
    return int(text)

"""JSON objects whose members are wanted as they were written: a digest, and a number of many digits, need the text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

import msgspec

MAX_DEPTH = 200

# Possessive, so that a long string costs no memory: what opens or closes, or a whole string to be passed over.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]', re.DOTALL)
_SPACE = re.compile(r"[ \t\n\r]*+")


@dataclass(frozen=True, slots=True)
class Member:
    """One value of an object: what it means, and its text."""

    value: Any
    text: str


def members(text: str) -> dict[str, Member]:
    """The members of the JSON object that `text` is. Raises ValueError, which says what it is instead."""
    _check_depth(text)
    try:
        return _members(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def is_value(text: str) -> bool:
    """Whether `text` is one JSON value of any type, told without building it."""
    try:
        msgspec.json.decode(text.encode(), type=msgspec.Raw)
        _check_depth(text)
    except (ValueError, RecursionError):
        return False
    return True


def _members(text: str) -> dict[str, Member]:
    found: dict[str, Member] = {}
    at = _expect(text, _skip(text, 0), "{")
    if text[at : at + 1] != "}":
        while True:
            key, at = _value(text, at)
            if not isinstance(key, str):
                raise ValueError(f"a key is no string at character {at}")
            start = _expect(text, _skip(text, at), ":")
            value, end = _value(text, start)
            if key in found:
                raise ValueError(f"the key {key[:100]!r} is there twice")
            found[key] = Member(value, text[start:end])
            at = _skip(text, end)
            if text[at : at + 1] != ",":
                break
            at = _skip(text, at + 1)
    at = _expect(text, at, "}")
    if at != len(text):
        raise ValueError(f"something comes after the object at character {at}")
    return found


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for token in _TOKEN.finditer(text):
        first = token.group()[0]
        if first in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError(f"nested over {MAX_DEPTH} deep")
        elif first in "]}":
            depth -= 1


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    assert space is not None  # it matches nothing, too
    return space.end()


def _expect(text: str, at: int, character: str) -> int:
    """Where the next thing begins after `character`."""
    if text[at : at + 1] != character:
        raise ValueError(f"expected {character!r} at character {at}")
    return _skip(text, at + 1)


def _value(text: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos}") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_number)

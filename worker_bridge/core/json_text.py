"""JSON objects whose members are wanted as they were written: a digest, and a number of many digits, need the text.

Nothing is built of a member before it is asked for. Of 20 MiB of brackets that would take ten seconds and half a
gigabyte, while leases wait to be renewed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Final, TypeVar

import msgspec

from operating.surrogates import half_pair

MAX_DEPTH: Final = 200

Value = TypeVar("Value")

# Possessive, so that a long string costs no memory.
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_NO_BRACKET: Final = bytes(set(range(256)) - set(b"[]{}"))
_STEPS: Final = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # +1 and -1 as signed bytes
_SURROGATE = re.compile(r"[dD][89a-fA-F][0-9a-fA-F]{2}")  # after its backslash and u
_MOST_ESCAPES: Final = 100_000  # of backslash and u: so that looking at each takes a part of a second
# Of these no text means anything (Unicode, section 23.7): one that does not occur stands for such a backslash.
_NONCHARACTERS: Final = "".join(map(chr, range(0xFDD0, 0xFDF0)))


class Members:
    """Reads these members of objects, and passes over the others, or refuses them."""

    def __init__(self, *names: str, others: bool = True) -> None:
        self._absent = absent = msgspec.Raw(b"null")
        held = msgspec.defstruct(
            "Held", [(name, msgspec.Raw, absent) for name in names], forbid_unknown_fields=not others
        )
        self._decoder = msgspec.json.Decoder(held)
        self._names = names

    def of(self, text: str) -> dict[str, str]:
        """The members of the JSON object that `text` is, each as its text; those that are null count as not there.

        Raises ValueError, which says what is wrong.
        """
        try:
            found = self._split(text)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError as error:
            # A string that was cut in the middle of an emoji is fine inside a member, though msgspec refuses it.
            mark = next((character for character in _NONCHARACTERS if character not in text), "")
            pieces = text.split("\\u")
            if not mark or not 1 < len(pieces) <= _MOST_ESCAPES:
                raise ValueError(half_pair(text.encode()) or str(error)) from None
            marked = self._split(_without_surrogates(pieces, mark))
            found = {name: member.replace(mark, "\\") for name, member in marked.items()}
        return {name: member for name, member in found.items() if member != "null"}

    def _split(self, text: str) -> dict[str, str]:
        try:
            held = self._decoder.decode(text)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        found = ((name, getattr(held, name)) for name in self._names)
        return {name: bytes(raw).decode() for name, raw in found if raw is not self._absent}


def _without_surrogates(pieces: Sequence[str], mark: str) -> str:
    """The text that was split at each backslash and u; of a surrogate's escape `mark` replaces the backslash."""
    parts = [pieces[0]]
    for before, piece in pairwise(pieces):
        escaped = (len(before) - len(before.rstrip("\\"))) % 2  # that backslash is one itself
        surrogate = not escaped and _SURROGATE.match(piece)
        parts += (mark if surrogate else "\\", "u", piece)
    return "".join(parts)


def value(text: str, kind: type[Value]) -> Value:
    """What the JSON `text` says, which has to be of `kind`. Raises ValueError."""
    try:
        return msgspec.json.decode(text, type=kind)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except msgspec.DecodeError as error:
        raise ValueError(half_pair(text.encode()) or str(error)) from None


def is_value(text: str) -> bool:
    """Whether `text` is one JSON value of any type, nested at most MAX_DEPTH deep; told without building it."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return True
    steps = _STRING.sub("", text).encode().translate(_STEPS, _NO_BRACKET)
    return max(accumulate(memoryview(steps).cast("b"))) <= MAX_DEPTH

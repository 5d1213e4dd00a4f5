"""A fuzzer's bytes as choices: taken off the front, the rest is what a hostile process sends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Source:
    """Never runs dry: after the last byte come zeros."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        return (self.take(1) or b"\0")[0]

    def choice(self, options: Sequence[T]) -> T:
        return options[self.byte() % len(options)]

    def take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        self._at += size
        return taken

    def rest(self) -> bytes:
        return self.take(len(self._data))

    @property
    def empty(self) -> bool:
        return self._at >= len(self._data)


def pieces(stream: bytes, cuts: bytes) -> list[bytes]:
    """`stream` cut into pieces whose lengths are those bytes in turn (0: 16 KiB, as much as one read takes)."""
    found, at, turn = [], 0, 0
    while at < len(stream):
        size = (cuts[turn % len(cuts)] if cuts else 0) or 16 << 10
        found.append(stream[at : at + size])
        at, turn = at + size, turn + 1
    return found

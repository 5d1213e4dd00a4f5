"""Who may take entries next: never more in hand than there are slots, and every stream has its turn."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grant:
    """`reader` may take up to `count` entries."""

    reader: str
    count: int


class Intake:
    """Counts slots. A reader asks when it knows of entries, not while it waits for some: waiting holds no slot."""

    def __init__(self, slots: int) -> None:
        self.free = slots
        self._slots = slots
        self._asking: dict[str, int] = {}  # in the order in which they came, with what each can take at most

    def ask(self, reader: str, most: int | None = None) -> None:
        """Puts `reader` behind the others; it takes `most` at a time, else what it is given. Once at a time."""
        assert reader not in self._asking
        self._asking[reader] = most or self._slots

    def withdraw(self, reader: str) -> None:
        """It does not ask any more."""
        self._asking.pop(reader, None)

    def grant(self) -> Grant | None:
        """The next one's turn, with its share of what is free among all who ask."""
        if not self._asking or not self.free:
            return None
        share = max(1, self.free // len(self._asking))
        reader = next(iter(self._asking))
        count = min(share, self._asking.pop(reader))
        self.free -= count
        return Grant(reader, count)

    def give_back(self, count: int) -> None:
        """Slots that were not used, or whose entries have ended."""
        self.free += count
        assert self.free <= self._slots

    @property
    def in_hand(self) -> int:
        """Slots that are granted or hold an entry."""
        return self._slots - self.free

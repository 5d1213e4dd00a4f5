"""Answers that were given and not taken yet: bounded in bytes, all calls together, and whoever has most gives way."""

from __future__ import annotations

from collections.abc import Callable, Hashable


class Outbox:
    """Holds what is owed to callers. Over `most_bytes`, he who lets most lie loses what has lain the longest.

    So nobody's answers, however many, take the room of somebody's who has fewer and reads them slowly.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._bytes = 0
        # By caller, and his in the order they came.
        self._owed: dict[str, dict[Hashable, tuple[int, Callable[[], None]]]] = {}
        self._bytes_of: dict[str, int] = {}

    @property
    def owed_bytes(self) -> int:
        """What lies here now."""
        return self._bytes

    def owe(self, caller: str, call: Hashable, size: int, drop: Callable[[], None]) -> None:
        """`size` bytes more for `call` of `caller`, until it is settled. `drop` is called when it must go; it must not
        wait.
        """
        owed = self._owed.setdefault(caller, {})
        before, _ = owed.get(call, (0, drop))
        owed[call] = (before + size, drop)
        self._count(caller, size)
        while self._bytes > self._most:
            most = max(self._bytes_of, key=self._bytes_of.__getitem__)
            oldest, (_, let_go) = next(iter(self._owed[most].items()))
            if oldest == call and len(self._owed) == 1:  # alone over the bound: it came in time, so it is delivered
                break
            self.settle(most, oldest)
            let_go()

    def settle(self, caller: str, call: Hashable) -> None:
        """The call has ended, or lost what was owed."""
        size, _ = self._owed.get(caller, {}).pop(call, (0, None))
        self._count(caller, -size)

    def _count(self, caller: str, change: int) -> None:
        self._bytes += change
        self._bytes_of[caller] = self._bytes_of.get(caller, 0) + change
        if not self._owed.get(caller):
            self._owed.pop(caller, None)
            self._bytes_of.pop(caller, None)

"""Answers that were given and not taken yet: bounded in bytes, all calls together."""

from __future__ import annotations

from collections.abc import Callable, Hashable


class Outbox:
    """Holds what is owed to callers. Over `most_bytes`, those who have let it lie the longest lose theirs."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._bytes = 0
        self._owed: dict[Hashable, tuple[int, Callable[[], None]]] = {}  # in the order they came

    @property
    def owed_bytes(self) -> int:
        """What lies here now."""
        return self._bytes

    def owe(self, call: Hashable, size: int, drop: Callable[[], None]) -> None:
        """`size` bytes more for `call`, until it is settled. `drop` is called when it must go; it must not wait."""
        before, _ = self._owed.get(call, (0, drop))
        self._owed[call] = (before + size, drop)
        self._bytes += size
        while self._bytes > self._most:
            oldest = next(iter(self._owed))
            if oldest == call:  # alone over the bound: it came in time, so it is delivered
                break
            _, let_go = self._owed[oldest]
            self.settle(oldest)
            let_go()

    def settle(self, call: Hashable) -> None:
        """The call has ended, or lost what was owed."""
        size, _ = self._owed.pop(call, (0, None))
        self._bytes -= size

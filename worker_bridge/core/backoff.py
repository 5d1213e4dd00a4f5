"""How long to wait before trying again."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_SECONDS = 0.1
LONGEST_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Backoff:
    """Doubles from 100 ms to 5 s. `failures` counts those since the last success."""

    failures: int = 0

    def failed(self) -> Backoff:
        """After one more failure."""
        return Backoff(min(self.failures + 1, 16))

    def seconds(self, random: float) -> float:
        """The wait; `random` from 0 to 1 takes up to half of it off, so that many do not come back at once."""
        longest = min(FIRST_SECONDS * 2.0 ** max(self.failures - 1, 0), LONGEST_SECONDS)
        return longest * (1 - random / 2)

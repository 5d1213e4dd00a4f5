"""When a failed attempt is tried again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_LONGEST_SECONDS: Final = 300.0


@dataclass(frozen=True, slots=True)
class RetryRule:
    """`first_seconds` is about what the second attempt waits; each further one waits twice as long, up to 300 s."""

    first_seconds: float

    def delay_seconds(self, attempt: int, chance: float) -> float:
        """After attempt `attempt` has failed. `chance`, from 0 to 1, spreads tasks that failed together: the second
        half of the delay is up to it.
        """
        whole = min(self.first_seconds * 2.0 ** min(attempt - 1, 32), max(_LONGEST_SECONDS, self.first_seconds))
        return whole / 2 + whole / 2 * chance


@dataclass(frozen=True, slots=True)
class Backoff:
    """What a connection that failed waits: 100 ms doubling to 5 s."""

    failures: int = 0

    def failed(self) -> Backoff:
        """After one more failure."""
        return Backoff(self.failures + 1)

    def delay_seconds(self, chance: float) -> float:
        """`chance` is from 0 to 1: the second half of the delay is up to it."""
        whole = min(0.1 * 2.0 ** min(max(self.failures - 1, 0), 16), 5.0)
        return whole / 2 + whole / 2 * chance

"""Jails that fail one after another are no accident: no child can be had, until one holds again."""

from __future__ import annotations

from dataclasses import dataclass

FAILURES = 3


@dataclass(frozen=True, slots=True)
class Seals:
    """How the latest went: `failures` is how many could not be sealed since one could."""

    failures: int = 0

    @property
    def fail(self) -> bool:
        """Whether to expect it of the next one too."""
        return self.failures >= FAILURES

    def failed(self) -> Seals:
        """After one more that could not be sealed."""
        return Seals(self.failures + 1)

    def held(self) -> Seals:
        """After one that could."""
        return Seals()

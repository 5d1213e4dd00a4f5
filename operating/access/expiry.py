"""A certificate's end comes at a known moment: what is said of it before."""

from __future__ import annotations

from typing import Final

WARNED_SECONDS: Final = 14 * 86_400.0
_AGAIN_SECONDS: Final = 86_400.0
_HOUR: Final = 3_600.0


def words(ends_at: float, now: float) -> str:
    """Both in seconds since 1970; empty while there is time enough."""
    left = ends_at - now
    if left > WARNED_SECONDS:
        return ""
    if left <= 0:
        return "has expired: clients refuse it"
    return f"expires in {left / 86_400:.0f} days" if left > 2 * 86_400 else f"expires in {left / _HOUR:.0f} hours"


class Warnings:
    """At first, once a day, and when it has expired."""

    def __init__(self) -> None:
        self._next_at = float("-inf")
        self._of = 0.0

    def due(self, ends_at: float, now: float) -> str:
        """What is to be said now of the certificate that is used; empty: nothing."""
        said = words(ends_at, now)
        if not said or (ends_at == self._of and now < self._next_at):
            return ""
        self._of, self._next_at = ends_at, now + _AGAIN_SECONDS
        if now < ends_at < self._next_at:
            self._next_at = ends_at
        return said

"""The same sentence again and again: said at first, and then once in a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

EVERY_SECONDS: Final = 60.0
_SENTENCES: Final = 64  # those beyond share one place: the other side may choose its words


@dataclass(slots=True)
class _Said:
    next_at: float
    unsaid: int = 0


class Repeats:
    """What was said when."""

    def __init__(self) -> None:
        self._said: dict[str, _Said] = {}

    def say(self, sentence: str, now: float) -> int | None:
        """None: not now. Otherwise how often it was not said since it was last; `now` in seconds of any clock."""
        if sentence not in self._said and len(self._said) >= _SENTENCES:
            sentence = ""
        before = self._said.get(sentence)
        if before is not None and now < before.next_at:
            before.unsaid += 1
            return None
        self._said[sentence] = _Said(now + EVERY_SECONDS)
        return before.unsaid if before is not None else 0

"""How many lines somebody may cause, whose number he chooses: some, and then how many there were besides."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

WINDOW_SECONDS: Final = 10.0
_KEYS: Final = 256  # those beyond share one


@dataclass(slots=True)
class _Window:
    ends_at: float
    lines: int = 0
    left_out: int = 0


class Flood:
    """Windows by key: who fills his own takes no line from others."""

    def __init__(self) -> None:
        self._windows: dict[Hashable, _Window] = {}

    def admits(self, key: Hashable, lines: int, now: float) -> bool:
        """Whether one more line of this key is written, of which a window has so many; if not, it is counted."""
        if key not in self._windows and len(self._windows) >= _KEYS:
            key = None
        window = self._windows.setdefault(key, _Window(now + WINDOW_SECONDS))
        if window.lines < lines:
            window.lines += 1
            return True
        window.left_out += 1
        return False

    def over(self, now: float) -> list[tuple[Hashable, int]]:
        """Ends the windows whose time is over; of each in which lines were left out, how many. None: of keys beyond."""
        ended = [(key, window) for key, window in self._windows.items() if window.ends_at <= now]
        for key, _ in ended:
            del self._windows[key]
        return [(key, window.left_out) for key, window in ended if window.left_out]

    @property
    def is_counting(self) -> bool:
        """Whether there is a window."""
        return bool(self._windows)

    @property
    def next_end(self) -> float:
        """The moment at which the next window ends."""
        return min(window.ends_at for window in self._windows.values())

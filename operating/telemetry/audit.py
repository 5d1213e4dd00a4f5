"""Lines of an audit log: of one event and one owner some in ten seconds, and then how many more there were.

What is told, and with which words, is each program's own matter.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from operating.telemetry.flood import Flood
from operating.telemetry.lines import Value, fields

# Lines in one window: each of a task names another one, the others differ in nothing.
OF_TASKS: Final = 20
OF_OTHERS: Final = 2


class AuditLines:
    """Written by the logger NAME.audit, whatever the level of other lines is. Used in one event loop."""

    def __init__(self, name: str) -> None:
        self._log = logging.getLogger(f"{name}.audit")
        self._log.setLevel(logging.INFO)
        self._flood = Flood()
        self._timer: asyncio.TimerHandle | None = None

    def admits(self, lines: int, event: str, **owner: str) -> bool:
        """Whether one more line is to be written of this event and of those who own it; one that is not is counted."""
        loop = asyncio.get_running_loop()
        admitted = self._flood.admits((event, tuple(owner.items())), lines, loop.time())
        if self._timer is None:
            self._timer = loop.call_at(self._flood.next_end, self._look)
        return admitted

    def write(self, level: int, text: str, **told: Value) -> None:
        """One line; empty values are left out."""
        self._log.log(level, text, extra=fields(**told))

    def close(self) -> None:
        """Says what is not said yet."""
        if self._timer is not None:
            self._timer.cancel()
        self._end_windows(float("inf"))

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        self._end_windows(loop.time())
        self._timer = loop.call_at(self._flood.next_end, self._look) if self._flood.is_counting else None

    def _end_windows(self, now: float) -> None:
        for key, left_out in self._flood.over(now):
            event, owner = key if isinstance(key, tuple) else ("ALL_OTHERS", ())
            self.write(logging.WARNING, "audit lines were left out", event=event, left_out=left_out, **dict(owner))

"""The watch: a look at the memory of all running children, from outside, many times a second.

The second line behind the limits that the kernel enforces: it ends what came around them. A detector and no bound,
since a core fills tens of megabytes between two looks.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from langserver.core.verdict import SLACK_BYTES
from langserver.sandbox.proc import held_bytes

log = logging.getLogger(__name__)

_SECONDS: Final = 0.05
_STATUS_BYTES: Final = 8 << 10  # it has some 1,500


class Watched(Protocol):
    """A running child."""

    def open_status(self) -> int:
        """A descriptor of its /proc/PID/status. Raises ProcessLookupError, PermissionError, OSError."""


@dataclass(slots=True)
class _Look:
    """At one child. `most_bytes` is what it may hold; the descriptor is -1 until it has run for a while."""

    most_bytes: int
    tell: Callable[[int], None]
    status: int = -1


class Watch:
    """Of one zygote's children: what is above `idle_bytes`, which a child holds that does nothing, is their task's."""

    def __init__(self, idle_bytes: int) -> None:
        self._idle_bytes = idle_bytes
        self._looks: dict[Watched, _Look] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._tried = False
        self.blind = ""  # why it sees nothing, if so

    def begin(self, child: Watched, limit_bytes: int, tell: Callable[[int], None]) -> None:
        """Calls `tell` with the growth of a child, once, when a look shows it more than the slack above its limit."""
        if self.blind:
            return
        self._looks[child] = _Look(self._idle_bytes + limit_bytes + SLACK_BYTES, tell)
        if not self._tried:  # most tasks are over before the first look, and one must show whether it is possible
            self._tried = True
            self._look_at(child)
        if self._looks and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_SECONDS, self._look)

    def end(self, child: Watched) -> None:
        """Looks at it no more; may be called twice."""
        look = self._looks.pop(child, None)
        if look is not None and look.status >= 0:
            os.close(look.status)
        if not self._looks and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_SECONDS, self._look)
        for child in list(self._looks):
            self._look_at(child)

    def _look_at(self, child: Watched) -> None:
        look = self._looks[child]
        try:
            if look.status < 0:
                look.status = child.open_status()
            held = held_bytes(os.pread(look.status, _STATUS_BYTES, 0))
        except PermissionError:
            self.blind = "the memory of children can't be watched: /proc hides them (hidepid, proc(5))"
            _warn_once(self.blind)
            self.end(child)
            return
        except (OSError, KeyError):  # it has ended, or no descriptor is free just now
            return
        if held > look.most_bytes:
            self.end(child)
            look.tell(held - self._idle_bytes)


@functools.cache
def _warn_once(text: str) -> None:
    log.warning("%s", text)

"""The share of the cores of a child whose task makes way for those of other callers.

It is a courtesy, no limit and no wall: where the host refuses it, tasks run with equal shares.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

# Where both want a core, a task gets six times what one has that is eight steps nicer (sched(7): 1.25 a step).
_STEPS: Final = 8
_NICEST: Final = 19


def make_way() -> None:
    """Has this process, and whatever thread it starts from now on, make way. There is no way back (setpriority(2))."""
    with suppress(OSError):  # see `refused`
        _make_nicer(os.PRIO_PROCESS, os.getpid())


def have_make_way(pid: int) -> None:
    """Has `pid` make way, a sealed child that is not reaped: all threads of it, V8 has some."""
    # It leads a process group of its own, and is alone in it. One that has ended before it was sealed has none, and
    # how it ended is not for here to say.
    with suppress(OSError):
        _make_nicer(os.PRIO_PGRP, pid)


def refused() -> str:
    """Why no task of this host's can make way; empty where it can."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))
    except OSError as error:
        return f"setpriority(2): {error.strerror}"
    return ""


def _make_nicer(which: int, who: int) -> None:
    os.setpriority(which, who, min(os.getpriority(os.PRIO_PROCESS, who) + _STEPS, _NICEST))

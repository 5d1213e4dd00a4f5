"""How busy the machine was with others while a run measured."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Self

_STAT = Path("/proc/stat")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Moment:
    """CPU seconds of all processes and of this one with what it has waited for; the load."""

    at_seconds: float
    busy_seconds: float
    own_seconds: float
    load: float

    @classmethod
    def now(cls) -> Self:
        """This one."""
        own = sum(
            usage.ru_utime + usage.ru_stime
            for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        )
        return cls(monotonic(), busy_ticks(_STAT.read_text()) / _TICKS, own, os.getloadavg()[0])


def busy_ticks(stat: str) -> int:
    """Of all cores together since the start, from the text of /proc/stat: all but idle and waiting (proc_stat(5))."""
    user, nice, system, _idle, _waiting, irq, softirq, steal, *_ = map(int, stat.split("\n", 1)[0].split()[1:])
    return user + nice + system + irq + softirq + steal


def others_cores(start: Moment, end: Moment) -> float:
    """How many cores others kept busy meanwhile, the host's other guests included."""
    busy = end.busy_seconds - start.busy_seconds
    own = end.own_seconds - start.own_seconds
    return max(busy - own, 0.0) / max(end.at_seconds - start.at_seconds, 1e-9)

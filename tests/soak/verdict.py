"""Has anything grown? Medians of the first and the last third of the samples, when the warm-up is over: pure."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_WARM_UP = 0.15  # of the samples
LEAST_SAMPLES = 8


@dataclass(frozen=True, slots=True)
class Bound:
    """How much more the last third may have than the first: a part of it, or an amount where that is more."""

    part: float
    amount: float


# A leak of one descriptor or process for each task would be thousands; one more or less is the moment of the look.
BOUNDS: Mapping[str, Bound] = {
    "server, PSS, MiB": Bound(0.05, 3),
    "server, descriptors": Bound(0, 1),
    "zygotes, PSS, MiB": Bound(0.10, 4),
    "zygotes, descriptors": Bound(0, 1),
    "processes": Bound(0, 1),
    "zombies": Bound(0, 0),
    # Against a process of this machine's own, started at the same moments: other work slows both.
    "latency, in processes": Bound(0.5, 0),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One quantity: medians of the thirds, and whether the last one is within its bound."""

    name: str
    first: float
    middle: float
    last: float
    most: float

    @property
    def holds(self) -> bool:
        """Whether it has not grown."""
        return self.last <= self.most


def judge(samples: Sequence[Mapping[str, float]]) -> list[Line]:
    """A line for each of BOUNDS; of LEAST_SAMPLES samples or more, in their order."""
    rest = samples[round(len(samples) * _WARM_UP) :]
    third = len(rest) // 3
    parts = rest[:third], rest[third:-third], rest[-third:]
    lines = []
    for name, bound in BOUNDS.items():
        first, middle, last = (statistics.median(sample[name] for sample in part) for part in parts)
        lines.append(Line(name, first, middle, last, first + max(first * bound.part, bound.amount)))
    return lines

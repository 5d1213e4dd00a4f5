"""Rows, the ratios between them, and their summaries."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal


class NotAvailable(Exception):
    """A row could not be measured; the text says why."""


class NotHere(NotAvailable):
    """This machine lacks what a row needs: a program, a package, a right. That is no fault."""


class Unit(Enum):
    """How a row's samples are shown. The samples themselves are nanoseconds, numbers a second, or bytes."""

    TIME = "ms"
    RATE = "/s"
    SIZE = "MiB"


_SAMPLES_A_UNIT = {Unit.TIME: 1e6, Unit.RATE: 1.0, Unit.SIZE: float(1 << 20)}


@dataclass(frozen=True, slots=True)
class Row:
    """One thing measured: its samples, or none and the reason in `missing`, which is a `fault` or not."""

    name: str
    samples: tuple[float, ...] = ()
    missing: str = ""
    unit: Unit = Unit.TIME
    fault: bool = True


@dataclass(frozen=True, slots=True)
class Target:
    """What a ratio must be: at most `bound`, or at least. `aim` is what is wished for beyond it."""

    bound: float
    at_most: bool
    aim: float | None = None

    def met(self, value: float) -> bool:
        """Whether it holds."""
        return value <= self.bound if self.at_most else value >= self.bound


def at_most(bound: float, aim: float | None = None) -> Target:
    """A target from above."""
    return Target(bound, at_most=True, aim=aim)


def at_least(bound: float, aim: float | None = None) -> Target:
    """A target from below."""
    return Target(bound, at_most=False, aim=aim)


@dataclass(frozen=True, slots=True)
class Ratio:
    """The median (or p99) of row `of` divided by the summed medians of the rows `to`; by nothing where there are none.

    `why` says what a reader learns of it, `target` what it must be.
    """

    name: str
    of: str
    to: tuple[str, ...]
    why: str
    target: Target | None = None
    part: Literal["median", "p99"] = "median"


@dataclass(frozen=True, slots=True)
class Series:
    """Rows of one thing at growing sizes: pairs of size and row name. `per` is what is counted, as in `line`."""

    name: str
    per: str
    points: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """In the row's unit. `noise` is the middle half's width divided by the median."""

    count: int
    unit: str
    median: float
    p99: float
    noise: float


@dataclass(frozen=True, slots=True)
class Growth:
    """How a series grows. `each` are milliseconds for one more between the two largest sizes.

    `exponent` is that of the last step: 1 is linear, below it something fixed still counts, 2 is quadratic.
    """

    sizes: tuple[int, ...]
    medians: tuple[float, ...]
    each: float
    exponent: float


def repeat(count: int, action: Callable[[], object]) -> tuple[int, ...]:
    """Nanoseconds of `count` calls of `action`, one after the other, after one that is not counted."""
    action()
    samples = []
    for _ in range(count):
        started = time.perf_counter_ns()
        action()
        samples.append(time.perf_counter_ns() - started)
    return tuple(samples)


def loop_rates(loops: Sequence[Sequence[int]], parts: int = 10) -> tuple[float, ...]:
    """Rounds a second of loops that ran side by side, from the nanoseconds of their rounds, parts at least.

    One figure for each of `parts` equal parts of the rounds.
    """
    found = [0.0] * parts
    for loop in loops:
        for part in range(parts):
            piece = loop[len(loop) * part // parts : len(loop) * (part + 1) // parts]
            found[part] += len(piece) / sum(piece) * 1e9
    return tuple(found)


def event_rates(moments_ns: Sequence[int], parts: int = 10) -> tuple[float, ...]:
    """Events a second in `parts` equal stretches of the time from the first event to the last, two at least."""
    first, last = min(moments_ns), max(moments_ns)
    stretch = (last - first) / parts
    counts = [0] * parts
    for moment in moments_ns:
        counts[min(parts - 1, int((moment - first) / stretch))] += 1
    return tuple(count / stretch * 1e9 for count in counts)


def summarize(row: Row) -> Summary:
    """The figures of a row that has samples."""
    scale = _SAMPLES_A_UNIT[row.unit]
    ordered = sorted(row.samples)
    median = statistics.median(ordered)
    low, _, high = statistics.quantiles(ordered, n=4) if len(ordered) > 1 else (median,) * 3
    p99 = ordered[math.ceil(0.99 * len(ordered)) - 1]
    return Summary(len(ordered), row.unit.value, median / scale, p99 / scale, (high - low) / median if median else 0.0)


def growth(points: Sequence[tuple[int, float]]) -> Growth:
    """Of sizes, ascending, and the medians there; two at least."""
    sizes, medians = zip(*points, strict=True)
    (near, before), (far, last) = points[-2:]
    return Growth(sizes, medians, (last - before) / (far - near), math.log(last / before) / math.log(far / near))

"""Where the time of a task goes: the parts of one, as rows that the picture stacks.

A bar's rows are named `BAR: PART`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.calls import Taken
from bench.measure import Row

# In the order of their happening, which is that of the stack.
CALL, QUEUE, SPAWN, SEAL, HAND_OVER, CHILD, COMPILE, RUN, REPORT, REAP = (
    "gRPC and service",
    "queue",
    "spawn",
    "seal",
    "hand-over",
    "all else of the child",
    "compile",
    "run",
    "report",
    "reap",
)
PARTS = (CALL, QUEUE, SPAWN, SEAL, HAND_OVER, CHILD, COMPILE, RUN, REPORT, REAP)


def part_rows(bar: str, parts: Mapping[str, Sequence[int]]) -> list[Row]:
    """Rows of one bar."""
    return [Row(f"{bar}: {part}", tuple(parts[part])) for part in PARTS if part in parts]


def call_parts(bar: str, taken: Sequence[Taken]) -> list[Row]:
    """What a caller can tell of its calls: its own time, less what the server says of queue, child and program.

    Hand-over, report and reaping are in one, and spawn and seal where no child waited.
    """
    parts: dict[str, list[int]] = {CALL: [], QUEUE: [], CHILD: [], COMPILE: [], RUN: []}
    for one in taken:
        queue, wall, compile_, run = (
            round(seconds * 1e9)
            for seconds in (
                one.usage.queue_seconds,
                one.usage.wall_seconds,
                one.usage.compile_seconds,
                one.usage.run_seconds,
            )
        )
        parts[CALL].append(max(one.ns - queue - wall, 0))
        parts[QUEUE].append(queue)
        parts[CHILD].append(max(wall - compile_ - run, 0))
        parts[COMPILE].append(compile_)
        parts[RUN].append(run)
    return part_rows(bar, parts)


def bars(medians: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The bars among rows and their medians, each with its parts in order."""
    found: dict[str, dict[str, float]] = {}
    for name, median in medians.items():
        bar, separator, part = name.rpartition(": ")
        if separator and part in PARTS:
            found.setdefault(bar, {})[part] = median
    return found

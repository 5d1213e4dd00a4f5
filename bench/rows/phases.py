"""The parts of one trivial task on a child, without server and gRPC: on a new child, and on one that waited sealed."""

from __future__ import annotations

import asyncio

from bench.calls import Task
from bench.context import Context
from bench.handover import form_of, parts_of_one, zygote_of
from bench.measure import Ratio, Row, at_most
from bench.parts import REAP, part_rows
from bench.rows.baselines import SILENT_FORK
from bench.tasks import TRIVIAL

_IDLE_SECONDS = 0.01
NEW, WARM = "{}, a new child", "{}, a warm child"
TO_REPORT = "{}, a warm child, from hand-over to report"

RATIOS = (
    Ratio(
        "ms from hand-over to report, js",
        TO_REPORT.format("js"),
        (),
        "what a waiting child takes for a trivial task",
        at_most(1.5),
    ),
    Ratio(
        "hand-over to report, js / bare fork",
        TO_REPORT.format("js"),
        (SILENT_FORK,),
        "the same, whatever the machine is worth: 4 where a bare fork, exit and reap take 0.37 ms",
    ),
)


def rows(context: Context) -> list[Row]:
    """Both runtimes, under every layer this host has."""
    count = context.count(150)
    return [row for runtime, task in TRIVIAL.items() for row in asyncio.run(_of(runtime, task, count))]


async def _of(runtime: str, task: Task, count: int) -> list[Row]:
    rows: list[Row] = []
    async with zygote_of(runtime) as zygote:
        form = await form_of(zygote, task)
        for bar, idle_seconds in ((NEW, 0.0), (WARM, _IDLE_SECONDS)):
            await parts_of_one(zygote, task, idle_seconds, form)  # not counted
            taken = [await parts_of_one(zygote, task, idle_seconds, form) for _ in range(count)]
            rows += part_rows(bar.format(runtime), {part: [one[part] for one in taken] for part in taken[0]})
        rows.append(Row(TO_REPORT.format(runtime), tuple(sum(one.values()) - one[REAP] for one in taken)))
    return rows

"""The parts of one trivial task on a child, without server and gRPC: on a new child, and on one that waited sealed."""

from __future__ import annotations

import asyncio

from bench.calls import Task
from bench.context import Context
from bench.handover import form_of, parts_of_one, zygote_of
from bench.measure import Row
from bench.parts import part_rows
from bench.tasks import TRIVIAL

_IDLE_SECONDS = 0.01
NEW, WARM = "{}, a new child", "{}, a warm child"


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
    return rows

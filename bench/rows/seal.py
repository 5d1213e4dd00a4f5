"""Making a child that waits for a task, and getting rid of one: what each task pays where no child is kept warm."""

from __future__ import annotations

import asyncio
import time

from bench.context import Context
from bench.handover import Listener, spawned, zygote_of
from bench.measure import Ratio, Row
from bench.rows.baselines import BARE_FORK

SEALED = "{} child, from the request to sealed"
GONE = "{} child, sealed and unused, from kill to reaped"

RATIOS = (Ratio("a sealed Python child over a bare fork", SEALED.format("python"), (BARE_FORK,), "what the seal adds"),)


def rows(context: Context) -> list[Row]:
    """Both runtimes, under every layer this host has."""
    count = context.count(200)
    return [row for runtime in ("python", "js") for row in asyncio.run(_of(runtime, count))]


async def _of(runtime: str, count: int) -> tuple[Row, Row]:
    sealing, ending = [], []
    async with zygote_of(runtime) as zygote:
        for number in range(-5, count):
            started = time.perf_counter_ns()
            child = await spawned(zygote)
            sealed = await Listener(child).sealed()
            child.kill()
            await child.exit
            ended = time.perf_counter_ns()
            zygote.release(child)
            if number >= 0:
                sealing.append(sealed - started)
                ending.append(ended - sealed)
    return Row(SEALED.format(runtime), tuple(sealing)), Row(GONE.format(runtime), tuple(ending))

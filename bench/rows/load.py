"""Many callers: how many tasks a second, and how long one takes while half as many come. Client on the same cores."""

from __future__ import annotations

import asyncio
import statistics

from bench.calls import Caller, Task
from bench.context import Context
from bench.measure import Ratio, Row, Unit, at_least, at_most, event_rates
from bench.parts import call_parts
from bench.rows.baselines import FORK_LOOPS, ISOLATE_LOOPS
from bench.rows.execute import times
from bench.tasks import TRIVIAL

CALLERS = (1, 8, 32)
FULL = 8  # on two cores more than run at once and fewer than may queue: no slot is idle, no call is refused
RATE = "{} tasks, {} callers"
HALF = "Execute {}, at half of that rate"

RATIOS = (
    Ratio(
        "Python at half load: p99 over its own p50",
        HALF.format("python"),
        (HALF.format("python"),),
        "how far the slow ones are off",
        at_most(4),
        part="p99",
    ),
    Ratio(
        "JavaScript at half load: p99 over its own p50",
        HALF.format("js"),
        (HALF.format("js"),),
        "likewise",
        part="p99",
    ),
    Ratio(
        "Python throughput over bare fork loops",
        RATE.format("python", FULL),
        (FORK_LOOPS,),
        "1 would be a task that costs a fork",
        at_least(0.12, aim=0.2),
    ),
    Ratio(
        "JavaScript throughput over isolate loops",
        RATE.format("js", FULL),
        (ISOLATE_LOOPS,),
        "1 would be a task that costs a fork and an isolate",
        at_least(0.7),
    ),
)


def rows(context: Context) -> list[Row]:
    """Both runtimes; the server has default settings, and what waits is in its queue."""
    return [row for runtime, task in TRIVIAL.items() for row in asyncio.run(_of(runtime, task, context))]


async def _of(runtime: str, task: Task, context: Context) -> list[Row]:
    found, parts = [], []
    half = 1.0
    async with Caller(context.language_server().address) as caller:
        for callers in CALLERS:
            taken = await caller.saturate(task, callers, context.seconds(5))
            measured = event_rates([one.at_ns for one in taken])
            found.append(Row(RATE.format(runtime, callers), measured, unit=Unit.RATE))
            if callers == FULL:
                half = statistics.median(measured) / 2
                parts += call_parts(f"{runtime}, {callers} callers", taken)
        taken = await caller.at_rate(task, half, context.seconds(10))
        found.append(Row(HALF.format(runtime), times(taken)))
    return [*found, *call_parts(f"{runtime}, half load", taken), *parts]

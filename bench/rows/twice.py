"""The same long program twice: what of compiling it is saved the second time."""

from __future__ import annotations

import asyncio
import itertools

from bench.calls import Caller, Task
from bench.context import Context
from bench.measure import Ratio, Row, at_most
from bench.tasks import long_python

FIRST = "python, 1,000 lines: compile phase of the first run"
SECOND = "python, 1,000 lines: compile phase of the second run"

RATIOS = (
    Ratio("1,000 lines a second time: compile phase", SECOND, (FIRST,), "1 where nothing is kept", at_most(0.15)),
)
_marks = itertools.count(1)


def rows(context: Context) -> list[Row]:
    """A program never seen before in each round; the child's own measure of its compiling."""
    return asyncio.run(_rows(context))


async def _rows(context: Context) -> list[Row]:
    found: dict[str, list[int]] = {FIRST: [], SECOND: []}
    async with Caller(context.language_server().address) as caller:
        for _ in range(context.count(20)):
            task = Task("python", long_python(1000, next(_marks)))
            for row in found.values():
                row.append(round((await caller.once(task)).usage.compile_seconds * 1e9))
    return [Row(name, tuple(samples)) for name, samples in found.items()]

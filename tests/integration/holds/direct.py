"""Executions on one zygote, without server and pool: for layers that no server would run with."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langserver.limits import Ceilings
from langserver.wire.header import Mode
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote
from langserver.zygote.execution import Execution
from langserver.zygote.job import LogLine, Outcome
from langserver.zygote.request import TaskRequest, make_job

CEILINGS = Ceilings(memory_mb=512)


class OneZygote:
    """A supply without a pool: every child comes cold from one zygote. `child` is the last one it gave."""

    def __init__(self, zygote: Zygote) -> None:
        self.zygote = zygote
        self.child: Child | None = None
        self.logs: list[LogLine] = []

    async def take(self, makes_way: bool = False) -> Child:
        self.child = await self.zygote.spawn(0, 0)
        return self.child

    def done(self, child: Child) -> None:
        self.zygote.release(child)

    async def run(self, request: TaskRequest, mode: Mode = "run") -> Outcome:
        """Runs or validates one task; its log lines are in `logs`."""
        self.logs = []
        return await Execution(make_job(request, CEILINGS, mode), self, self.logs.append).run()


@asynccontextmanager
async def one_zygote(runtime: str, layers: frozenset[str], packages: tuple[str, ...] = ()) -> AsyncIterator[OneZygote]:
    """A supply whose zygote, with the operator's packages, is gone when the block ends."""
    zygote = await Zygote.start(runtime, layers, packages)
    try:
        yield OneZygote(zygote)
    finally:
        await zygote.close()


def output(outcome: Outcome) -> object:
    """The value of a task that must have succeeded."""
    assert outcome.verdict.report is not None, outcome.verdict
    assert not outcome.verdict.failure, outcome.verdict
    return json.loads(outcome.verdict.report.output)

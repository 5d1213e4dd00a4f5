"""Cancelled at every point of an execution: the child dies, nothing is kept, the next task is served."""

from __future__ import annotations

import asyncio
import os
import random
import socket
from collections.abc import AsyncIterator, Callable

import psutil
import pytest

from langserver.core.outcome import ErrorKind
from langserver.core.verdict import EndReason
from langserver.limits import Asked, Ceilings
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote
from langserver.zygote.execution import Execution
from langserver.zygote.job import LogLine, Outcome
from langserver.zygote.request import TaskRequest, make_job

CEILINGS = Ceilings()
LAYERS = frozenset({"policy", "audit", "privileges", "rlimits", "seccomp"})
FOREVER = "print('running')\nwhile True: pass"


class Supply:
    """One zygote; calls `at_take` before a child is asked for, `at_child` once there is one."""

    def __init__(self, zygote: Zygote) -> None:
        self.zygote = zygote
        self.at_take: Callable[[], None] = lambda: None
        self.while_spawning: Callable[[], None] = lambda: None
        self.at_child: Callable[[Child], None] = lambda child: None

    async def take(self, makes_way: bool = False) -> Child:
        self.at_take()
        asyncio.get_running_loop().call_soon(self.while_spawning)
        child = await self.zygote.spawn(CEILINGS.sealed_memory_bytes, CEILINGS.sealed_cpu_seconds)
        self.at_child(child)
        return child

    def done(self, child: Child) -> None:
        self.zygote.release(child)


@pytest.fixture
async def supply() -> AsyncIterator[Supply]:
    zygote = await Zygote.start("python", LAYERS)
    yield Supply(zygote)
    await zygote.close()


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def make(supply: Supply, code: str = FOREVER, input_json: str = "", asked: Asked = Asked()) -> Execution:
    job = make_job(TaskRequest("python", code, input_json, asked=asked), CEILINGS, "run")
    return Execution(job, supply, lambda line: None)


async def assert_nothing_is_left(supply: Supply, before: int) -> None:
    assert supply.zygote.children == 0
    zygote = psutil.Process(supply.zygote.pid)
    async with asyncio.timeout(30):
        while zygote.children() or descriptors() > before:  # noqa: ASYNC110 - the kernel has no event for it
            await asyncio.sleep(0.01)
    supply.at_take = supply.while_spawning = lambda: None
    supply.at_child = lambda child: None
    outcome = await make(supply, "def main(): return 1").run()
    assert outcome.verdict.report is not None
    assert outcome.verdict.report.output == b"1"


def is_cancelled(outcome: Outcome) -> bool:
    return outcome.verdict.failure is not None and outcome.verdict.failure.kind is ErrorKind.CANCELLED


POINTS = [
    "before it is taken",
    "while it is spawned",
    "as soon as it is there",
    "while limits are lowered",
    "while the input is sent",
    "while it runs",
    "twice",
]


@pytest.mark.parametrize("point", POINTS)
async def test_cancelled(point: str, supply: Supply) -> None:
    await make(supply, "def main(): return 1").run()
    before = descriptors()
    loop = asyncio.get_running_loop()
    running: list[Execution] = []

    def cancel() -> None:
        running[0].end(EndReason.CANCELLED)

    code, input_json, asked = FOREVER, "", Asked()
    logged = asyncio.Event()
    if point == "before it is taken":
        supply.at_take = cancel
    elif point == "while it is spawned":
        supply.while_spawning = cancel
    elif point == "as soon as it is there":
        supply.at_child = lambda child: loop.call_soon(cancel) and None
    elif point == "while limits are lowered":
        asked = Asked(memory_mb=32)
        supply.at_child = lambda child: loop.call_soon(loop.call_soon, cancel) and None
    elif point == "while the input is sent":
        # The child compiles first, and a pipe holds 64 KiB: most of this waits to be sent.
        input_json = '"' + "x" * 15_000_000 + '"'
        supply.at_child = lambda child: loop.call_soon(loop.call_soon, cancel) and None
    job = make_job(TaskRequest("python", code, input_json, asked=asked), CEILINGS, "run")

    def on_log(line: LogLine) -> None:
        logged.set()

    execution = Execution(job, supply, on_log)
    running.append(execution)
    owner = asyncio.create_task(execution.run())
    if point in {"while it runs", "twice"}:
        await asyncio.wait_for(logged.wait(), 30)
        cancel()
        if point == "twice":
            await asyncio.sleep(0)
            execution.end(EndReason.DRAINED)
    outcome = await asyncio.wait_for(owner, 30)
    assert is_cancelled(outcome), outcome
    await assert_nothing_is_left(supply, before)


async def test_cancelled_while_it_is_reaped(supply: Supply) -> None:
    """The report is there, the exit is not: the caller who left gets nothing, whatever the child managed."""
    await make(supply, "def main(): return 1").run()
    before = descriptors()
    kept: list[Child] = []
    supply.at_child = kept.append
    execution = make(supply, "def main(): return 1")
    owner = asyncio.create_task(execution.run())
    while not kept or not kept[0].exit.done():  # noqa: ASYNC110 - the very turn of the loop is the point
        await asyncio.sleep(0)
    execution.end(EndReason.CANCELLED)
    assert is_cancelled(await asyncio.wait_for(owner, 30))
    await assert_nothing_is_left(supply, before)


async def test_who_cancels_has_his_child_until_it_is_gone(supply: Supply) -> None:
    """Else his next one would be on its way too, and so on: all of them are forked before those of others."""
    await make(supply, "def main(): return 1").run()
    before = descriptors()
    supply.zygote._control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)  # a few messages: the others wait here
    zygote = psutil.Process(supply.zygote.pid)
    zygote.suspend()
    try:
        executions = [make(supply) for _ in range(100)]
        owners = [asyncio.create_task(execution.run()) for execution in executions]
        await asyncio.sleep(0.1)
        assert supply.zygote._unsent, "descriptors that are not sent yet are still needed"
        for execution in executions:
            execution.end(EndReason.CANCELLED)
        await asyncio.wait(owners, timeout=0.2)
        assert not any(owner.done() for owner in owners)
        assert supply.zygote.children == len(executions)
    finally:
        zygote.resume()
    outcomes = await asyncio.wait_for(asyncio.gather(*owners), 60)
    assert all(map(is_cancelled, outcomes))
    assert not supply.zygote.lost
    await assert_nothing_is_left(supply, before)


async def test_three_hundred_cancellations_at_random_moments(supply: Supply) -> None:
    await make(supply, "def main(): return 1").run()
    before = descriptors()
    chance = random.Random(4)

    async def one() -> None:
        execution = make(supply, chance.choice([FOREVER, "def main(): return 1", "1/0"]))
        owner = asyncio.create_task(execution.run())
        await asyncio.sleep(chance.random() * 0.02)
        execution.end(chance.choice([EndReason.CANCELLED, EndReason.DRAINED, EndReason.TIMEOUT]))
        await asyncio.wait_for(owner, 60)

    for _ in range(50):
        await asyncio.gather(*(one() for _ in range(6)))
    await assert_nothing_is_left(supply, before)

"""One task on one child, without a server: what each part of it takes, as whoever hands over sees it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bench.calls import Task
from bench.measure import NotAvailable
from bench.parts import COMPILE, HAND_OVER, REAP, REPORT, RUN, SEAL, SPAWN
from langserver.core.forms import Found
from langserver.core.verdict import Bounds
from langserver.sandbox.probe import probe
from langserver.wire.conversation import Conversation
from langserver.wire.header import TaskHeader
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote
from langserver.zygote.failures import SpawnRefused, ZygoteError, ZygoteLost
from langserver.zygote.hand_over import input_parts, source_parts
from langserver.zygote.job import Job

_MEMORY_BYTES = 128 << 20
_CPU_SECONDS = 30
_OUTPUT_BYTES = 1 << 20
_SECONDS = 60


@asynccontextmanager
async def zygote_of(runtime: str) -> AsyncIterator[Zygote]:
    """A zygote under every layer this host has. Raises NotAvailable."""
    try:
        zygote = await Zygote.start(runtime, frozenset(layer.name for layer in probe() if layer.available))
    except ZygoteError as error:
        raise NotAvailable(str(error)) from None
    try:
        yield zygote
    except (SpawnRefused, ZygoteLost) as error:
        raise NotAvailable(f"a {runtime} child could not be made: {error}") from None
    finally:
        await zygote.close()


async def spawned(zygote: Zygote, ahead: bool = False) -> Child:
    """A child, sealed or not; `ahead`: it is to wait for its task. Raises ZygoteLost, SpawnRefused."""
    return await zygote.spawn(_MEMORY_BYTES, _CPU_SECONDS, ahead=ahead)


class Listener:
    """Hears a child, and when it said what."""

    def __init__(self, child: Child, wants_form: bool = False) -> None:
        self._child = child
        self._said = Conversation(_OUTPUT_BYTES, _OUTPUT_BYTES, wants_form)

    async def sealed(self) -> int:
        """When it had said that it is sealed (perf_counter_ns). Raises NotAvailable, as all here."""
        return await self._until(lambda: self._said.sealed)

    async def started(self) -> int:
        """When it had said that the program begins."""
        return await self._until(lambda: self._said.started)

    async def reported(self) -> tuple[int, int, int]:
        """When its report was there, and what it claims: the nanoseconds of compiling and of running."""
        moment = await self._until(lambda: self._said.over)
        report = self._said.report
        if report is None or report.failures:
            raise NotAvailable(f"the task failed: {report and report.failures}")
        return moment, report.compile_ns, report.run_ns

    async def form(self) -> bytes:
        """The compiled form of its program, for which it was asked."""
        await self._until(lambda: self._said.waits)
        return self._said.form or b""

    async def _until(self, true: Callable[[], bool]) -> int:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(_SECONDS):
            while not true():
                readable = loop.create_future()
                loop.add_reader(self._child.report_fd, readable.set_result, None)
                try:
                    await readable
                finally:
                    loop.remove_reader(self._child.report_fd)
                data = os.read(self._child.report_fd, 16 << 10)
                self._said.hear(data)
                if not data or self._said.broken:
                    raise NotAvailable(f"a child ended early: {self._said.broken or 'it said nothing'}")
        return time.perf_counter_ns()


async def form_of(zygote: Zygote, task: Task) -> bytes:
    """The compiled form that a server would have of a program it knows; empty for JavaScript, which has none."""
    if task.runtime != "python":
        return b""
    child = await spawned(zygote)
    try:
        os.write(child.input_fd, b"".join(source_parts(_job(task), Found(wanted=True))))
        return await Listener(child, wants_form=True).form()
    finally:
        child.kill()
        await child.exit
        zygote.release(child)


async def parts_of_one(zygote: Zygote, task: Task, idle_seconds: float, form: bytes = b"") -> dict[str, int]:
    """Nanoseconds of each part. A child that idles first is a warm one: its spawn and seal are left out.

    With `form`, what it compiled to, the program is loaded instead, as a server has it done from the third time on.
    """
    job = _job(task)
    whole = b"".join([*source_parts(job, Found(form)), *input_parts(job)])
    began = time.perf_counter_ns()
    child = await spawned(zygote, ahead=bool(idle_seconds))
    spawned_at = time.perf_counter_ns()
    listener = Listener(child)
    try:
        sealed_at = await listener.sealed()
        if idle_seconds:
            await asyncio.sleep(idle_seconds)
        given_at = time.perf_counter_ns()
        os.write(child.input_fd, whole)
        child.close_input()
        started_at = await listener.started()
        reported_at, compile_ns, run_ns = await listener.reported()
        await child.exit
        ended_at = time.perf_counter_ns()
    finally:
        child.kill()
        zygote.release(child)
    making = {} if idle_seconds else {SPAWN: spawned_at - began, SEAL: sealed_at - spawned_at}
    return making | split(given_at, started_at, reported_at, compile_ns, run_ns) | {REAP: ended_at - reported_at}


def split(given_at: int, started_at: int, reported_at: int, compile_ns: int, run_ns: int) -> dict[str, int]:
    """The time from handing over to the report, in parts that add up to it.

    A child that is done before its first word is read says all at once: its run is not counted as hand-over then.
    """
    report = max(reported_at - started_at - run_ns, 0)
    return {
        HAND_OVER: max(reported_at - given_at - compile_ns - run_ns - report, 0),
        COMPILE: compile_ns,
        RUN: run_ns,
        REPORT: report,
    }


def _job(task: Task) -> Job:
    header = TaskHeader("run", "UTC", None, "task", _OUTPUT_BYTES, _OUTPUT_BYTES)
    bounds = Bounds(_SECONDS, _MEMORY_BYTES, _CPU_SECONDS, _OUTPUT_BYTES)
    return Job(task.runtime, header, task.code.encode(), task.input_json.encode(), bounds)

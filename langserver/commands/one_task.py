"""One job on a zygote of its own, without a server: started for it, gone with it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from langserver.commands.exits import Interrupted
from langserver.core.verdict import EndReason
from langserver.errors import StartError
from langserver.limits import Ceilings
from langserver.sandbox import confine
from langserver.sandbox.layers import CGROUP, PRIVILEGES, RLIMITS
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote
from langserver.zygote.execution import Execution
from langserver.zygote.failures import ZygoteError
from langserver.zygote.job import Job, LogLine, Outcome

T = TypeVar("T")

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class SingleSupply:
    """A `Supply` that forks each child when it is asked for, with these limits (growth in bytes, seconds; 0: none)."""

    zygote: Zygote
    memory_bytes: int
    cpu_seconds: int

    async def take(self, makes_way: bool = False) -> Child:
        """A fresh child. Raises ZygoteLost, SpawnRefused."""
        return await self.zygote.spawn(self.memory_bytes, self.cpu_seconds, makes_way=makes_way)

    def done(self, child: Child) -> None:
        """Its slot is free again."""
        self.zygote.release(child)


async def perform(
    job: Job,
    ceilings: Ceilings,
    layers: frozenset[str],
    packages: tuple[str, ...],
    on_log: Callable[[LogLine], None],
    *,
    jit: bool = False,
) -> Outcome:
    """Runs the job, with the operator's packages, or with an engine that compiles. Cancelling it ends the child first.

    Raises StartError when no zygote can be had.
    """
    if PRIVILEGES in layers:
        # As a server is: a child of the same user may not read our memory or environment through /proc or ptrace.
        confine.forbid_dumps()
    zygote = await start_zygote(job.runtime, layers, packages, jit)
    try:
        return await perform_on(zygote, job, ceilings, layers, on_log)
    finally:
        await zygote.close()


async def start_zygote(
    runtime: str, layers: frozenset[str], packages: tuple[str, ...] = (), jit: bool = False
) -> Zygote:
    """Starts a zygote. Raises StartError."""
    try:
        return await Zygote.start(runtime, layers, packages, jit)
    except ZygoteError as error:
        raise StartError(str(error)) from None


async def perform_on(
    zygote: Zygote, job: Job, ceilings: Ceilings, layers: frozenset[str], on_log: Callable[[LogLine], None]
) -> Outcome:
    """Runs the job on a zygote that was started with these layers. Cancelling it ends the child first."""
    if RLIMITS in layers:
        supply = SingleSupply(zygote, ceilings.sealed_memory_bytes, ceilings.sealed_cpu_seconds)
    else:
        job = _unbounded(job, layers)
        supply = SingleSupply(zygote, job.bounds.memory_bytes or 0, 0)
    execution = Execution(job, supply, on_log)
    running = asyncio.ensure_future(execution.run())
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        execution.end(EndReason.CANCELLED)
        await running
        raise


def _unbounded(job: Job, layers: frozenset[str]) -> Job:
    """A verdict must not see a limit that nothing enforces."""
    bounds = replace(job.bounds, memory_bytes=job.bounds.memory_bytes if CGROUP in layers else None, cpu_seconds=None)
    return replace(job, bounds=bounds, lower_memory_bytes=0, lower_cpu_seconds=0)


def until_signal(work: Coroutine[Any, Any, T]) -> T:
    """Runs `work` to its end; SIGINT and SIGTERM cancel it. Raises Interrupted, and whatever `work` raises."""
    return asyncio.run(_cancelled_by_signals(work))


async def _cancelled_by_signals(work: Coroutine[Any, Any, T]) -> T:
    loop = asyncio.get_running_loop()
    task = loop.create_task(work)
    came: list[int] = []

    def on_signal(number: int) -> None:
        if not came:  # cleaning up is not interrupted by impatience
            task.cancel()
        came.append(number)

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and `&` in a script ask for
            loop.add_signal_handler(number, on_signal, number)
    try:
        return await task
    except asyncio.CancelledError:
        if came:
            raise Interrupted(came[0]) from None
        raise

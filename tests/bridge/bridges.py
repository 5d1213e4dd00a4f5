"""Bridges in this process, with executors whose executions a test holds in its hand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from worker_bridge.app import Bridge
from worker_bridge.core.envelope import Task
from worker_bridge.core.outcome import Outcome
from worker_bridge.settings import Settings
from worker_bridge.streams.port import StreamPort

OK = Outcome(completed=True, output=b"1")


class HeldExecutor:
    """Every execution lasts until `go`; with `free` it ends at once."""

    def __init__(self, *, free: bool = False, outcome: Outcome = OK) -> None:
        self.started: list[Task] = []
        self.running: list[Task] = []
        self.cancelled: list[Task] = []
        self.most = 0
        self.outcome = outcome
        self._free = asyncio.Event()
        if free:
            self._free.set()

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    async def usable(self) -> None: ...

    def go(self) -> None:
        """They end."""
        self._free.set()

    async def execute(self, task: Task, seconds: int) -> Outcome:
        self.started.append(task)
        self.running.append(task)
        self.most = max(self.most, len(self.running))
        try:
            await self._free.wait()
            await asyncio.sleep(0)
            return self.outcome
        except asyncio.CancelledError:
            self.cancelled.append(task)
            raise
        finally:
            self.running.remove(task)


class Running:
    """A bridge that reads; leave it by `stop`, or by `abandon` as if its process had died."""

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge
        self.begun = asyncio.Event()
        self.over = asyncio.create_task(bridge.run(self.begun.set))

    async def stop(self) -> None:
        """Drains."""
        self.bridge.stop()
        await self.over

    async def abandon(self) -> None:
        """Without drain."""
        self.bridge.stop()
        self.bridge.stop()
        await asyncio.wait((self.over,))


Starter = Callable[..., Awaitable[Running]]


async def start_bridge(
    coordinator: str, streams: StreamPort | None, executor: Any, *, node_type: str = "python", **settings: Any
) -> Running:
    """Starts one with leases that are short, and longer than a busy machine stands still; waits until it reads."""
    known = {"coordinator_addr": coordinator, "lease_ttl_seconds": 6, "worker_drain_seconds": 30}
    bridge = Bridge(
        Settings(**(known | settings)), streams, {node_type: executor} if executor else None, registration_expiry=3.0
    )
    running = Running(bridge)
    begun = asyncio.create_task(running.begun.wait())
    await asyncio.wait((begun, running.over), return_when=asyncio.FIRST_COMPLETED)
    begun.cancel()
    if running.over.done():
        running.over.result()
    return running

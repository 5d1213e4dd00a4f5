"""A worker bridge whose tasks are done at once. Prints `... reading STREAM` when it begins. Settings are variables."""

from __future__ import annotations

import asyncio
import signal

from worker_bridge.app import Bridge
from worker_bridge.core.envelope import Task
from worker_bridge.core.outcome import Outcome
from worker_bridge.settings import Settings


class Noop:
    """Completes every task."""

    async def start(self) -> None:
        """Nothing to connect to."""

    async def usable(self) -> None:
        """At any time."""

    async def execute(self, _task: Task, _seconds: int) -> Outcome:
        """Done."""
        return Outcome(completed=True, output=b"{}")

    async def close(self) -> None:
        """Nothing to let go of."""


async def main() -> None:
    """Until SIGTERM."""
    bridge = Bridge(Settings(), executors={"noop": Noop()})
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, bridge.stop)
    await bridge.run(lambda: print(f"noop bridge reading {bridge.reads[0]}", flush=True))


asyncio.run(main())

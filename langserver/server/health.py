"""grpc.health.v1: an entry for each runtime, and the entry "" for the server, which serves while one of them does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from grpc_health.v1 import health, health_pb2


class Health:
    """What pools and drain tell, as the standard service `servicer`."""

    def __init__(self, runtimes: Iterable[str]) -> None:
        self.servicer = health.aio.HealthServicer()
        self._serving = dict.fromkeys(runtimes, False)
        self._work: set[asyncio.Task[None]] = set()
        self._publishing = asyncio.Lock()  # watchers make `set` wait: what is older must not come last

    async def start(self) -> None:
        """Every entry is there from the beginning, none of them serving."""
        await self._publish()

    def listener(self, runtime: str) -> Callable[[bool], None]:
        """What a pool calls when it can, or can't, give children."""

        def on_health(serving: bool) -> None:
            self._serving[runtime] = serving
            task = asyncio.get_running_loop().create_task(self._publish())
            self._work.add(task)
            task.add_done_callback(self._work.discard)

        return on_health

    @property
    def publishing(self) -> bool:
        """Something told is not yet seen by callers."""
        return bool(self._work)

    async def drain(self) -> None:
        """Nothing serves any more, for good."""
        await self.servicer.enter_graceful_shutdown()

    async def _publish(self) -> None:
        async with self._publishing:
            for name, serving in {**self._serving, "": any(self._serving.values())}.items():
                status = health_pb2.HealthCheckResponse
                await self.servicer.set(name, status.SERVING if serving else status.NOT_SERVING)

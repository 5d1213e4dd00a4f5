"""A coordinator whose process dies between an XADD and the commit that would remember it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping

from coordinator.app import Coordinator
from coordinator.settings import Settings
from coordinator.streams.redis import RedisStreams
from operating.redis.link import Link


class DeadlyStreams(RedisStreams):
    """Redis's, but the first entry is the last thing that this process does."""

    async def add(self, stream: str, fields: Mapping[str, str]) -> str:
        await super().add(stream, fields)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


async def main() -> None:
    settings = Settings()
    async with Coordinator(settings, DeadlyStreams(Link(settings.redis_link))) as coordinator:
        print(f"coordinator listening on {coordinator.address}", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())

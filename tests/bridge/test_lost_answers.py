"""Answers that are lost after their effect: of Redis, and of the coordinator."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from redis.asyncio import Redis

from tests.bridge.bridges import HeldExecutor, Starter
from tests.bridge.coordinator import TableCoordinator
from tests.bridge.proxy import Proxy
from tests.bridge.redis_server import RedisServer
from tests.bridge.tasks import a_task, fields
from tests.bridge.waiting import until

STREAM = "tasks:python:0"
TASKS = 60


def every(number: int) -> Callable[[bytes], bool]:
    """Each so many-th piece of an answer is dropped: counted over all connections, so that none is cut off for ever."""
    count = itertools.count(1)
    return lambda answer: next(count) % number == 0


async def test_every_task_ends_once(
    redis_server: RedisServer, redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    to_redis = Proxy(redis_server.port, every(25))
    to_coordinator = Proxy(coordinator.port, every(12))
    await to_redis.start()
    await to_coordinator.start()
    try:
        for _ in range(TASKS):
            task = a_task()
            coordinator.add(task)
            await redis.xadd(STREAM, fields(task))
        await redis.xadd(STREAM, {"poison": "1"})
        executor = HeldExecutor(free=True)
        for _ in range(2):
            await bridges(
                executor,
                coordinator=to_coordinator.address,
                redis_addr=to_redis.address,
                lease_ttl_seconds=1,
                worker_max_deliveries=1000,
                worker_concurrency=3,
            )
        await until(lambda: all(row.state == "COMPLETED" for row in coordinator.rows.values()), 100)

        async def nothing_left() -> bool:
            return await redis.xlen(STREAM) == 0 and not await redis.xpending_range(STREAM, "workers", "-", "+", 9)

        await until(nothing_left, 60)
        assert to_redis.dropped > 3
        assert to_coordinator.dropped > 3
        assert all(len(row.accepted) == 1 for row in coordinator.rows.values())
        parked = await redis.xrange(f"{STREAM}:dead")
        assert len({values[b"origin"] for _, values in parked}) == 1  # perhaps parked twice, and known by its origin
    finally:
        await to_redis.stop()
        await to_coordinator.stop()

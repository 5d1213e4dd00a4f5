"""What tests of the bridge share: a Redis for a file, a coordinator for a test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from redis.asyncio import Redis

from tests.bridge.bridges import Running, Starter, start_bridge
from tests.bridge.coordinator import TableCoordinator
from tests.bridge.redis_server import RedisServer
from tests.coordinator.servers import link_to
from worker_bridge.streams.port import StreamPort
from worker_bridge.streams.redis import RedisConsumer


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
async def redis(redis_server: RedisServer) -> AsyncIterator[Redis]:
    """An empty Redis."""
    client = Redis(port=redis_server.port)
    await client.flushall()
    yield client
    await client.aclose()


@pytest.fixture
async def coordinator() -> AsyncIterator[TableCoordinator]:
    service = TableCoordinator()
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def bridges(redis: Redis, redis_server: RedisServer, coordinator: TableCoordinator) -> AsyncIterator[Starter]:
    """Starts bridges on the test's Redis and coordinator; they end with the test."""
    started: list[Running] = []

    async def start(executor: Any, streams: StreamPort | None = None, **settings: Any) -> Running:
        known = {"redis_addr": redis_server.address}
        one = await start_bridge(
            settings.pop("coordinator", coordinator.address), streams, executor, **(known | settings)
        )
        started.append(one)
        return one

    yield start
    for one in started:
        await one.abandon()


@pytest.fixture
async def consumer(redis: Redis, redis_server: RedisServer) -> AsyncIterator[RedisConsumer]:
    """Another worker's port, as a test drives it."""
    port = RedisConsumer(link_to(redis_server.port), "another", "tasks")
    yield port
    await port.close()

"""Redis, the coordinator and the language server come late, die and come back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from tests.bridge.bridges import HeldExecutor, Running, Starter, start_bridge
from tests.bridge.coordinator import TableCoordinator, silent, unavailable
from tests.bridge.language_server import LanguageServer
from tests.bridge.redis_server import RedisServer
from tests.bridge.tasks import a_task, fields, program
from tests.bridge.waiting import until
from tests.coordinator.servers import free_port
from worker_bridge.app import Bridge
from worker_bridge.settings import Settings

STREAM = "tasks:python:0"


@pytest.fixture
async def own_redis(tmp_path: Path) -> AsyncIterator[RedisServer]:
    """One for this test alone, not started."""
    server = RedisServer(tmp_path)
    yield server
    server.kill()


async def add(port: int, coordinator: TableCoordinator, **different: object) -> str:
    task = a_task(**different)
    coordinator.add(task)
    async with Redis(port=port) as redis:
        await redis.xadd(STREAM, fields(task))
    return task.task_id


async def test_none_needs_to_be_up_first(own_redis: RedisServer) -> None:
    coordinator, server = TableCoordinator(), LanguageServer(LANG_RUNTIMES="python")
    coordinator.port = free_port()
    bridge = Running(
        Bridge(
            Settings(
                coordinator_addr=coordinator.address,
                redis_addr=own_redis.address,
                lang_worker_addrs=f"python:{server.address}",
                lease_ttl_seconds=3,
            )
        )
    )
    try:
        await asyncio.sleep(0.5)
        own_redis.start()
        await bridge.begun.wait()
        task_id = await add(own_redis.port, coordinator, input=program("return 6 * 7"))
        await asyncio.sleep(0.5)
        async with Redis(port=own_redis.port) as redis:
            # Without leases nothing is taken.
            assert all(group["pending"] == 0 for group in await redis.xinfo_groups(STREAM))
        await coordinator.start()
        await asyncio.sleep(0.5)
        assert coordinator.state(task_id) == "QUEUED"  # nor before it can be executed
        await asyncio.to_thread(server.start)
        await until(lambda: coordinator.state(task_id) == "COMPLETED")
        assert coordinator.reports[0].output == b"42"
    finally:
        await bridge.abandon()
        server.stop()
        await coordinator.stop()


async def test_redis_dies_while_a_task_runs(own_redis: RedisServer, coordinator: TableCoordinator) -> None:
    own_redis.start()
    executor = HeldExecutor()
    bridge = await start_bridge(coordinator.address, None, executor, redis_addr=own_redis.address)
    try:
        task_id = await add(own_redis.port, coordinator)
        await until(lambda: executor.running)
        own_redis.kill()
        executor.go()
        await until(lambda: coordinator.state(task_id) == "COMPLETED")  # reporting needs no Redis
        own_redis.start()
        async with Redis(port=own_redis.port) as redis:

            async def acked() -> bool:
                return await redis.xlen(STREAM) == 0

            await until(acked)
        another = await add(own_redis.port, coordinator)
        await until(lambda: coordinator.state(another) == "COMPLETED")
        assert len(executor.started) == 2
    finally:
        await bridge.abandon()


async def test_a_frozen_redis_costs_no_lease(own_redis: RedisServer, coordinator: TableCoordinator) -> None:
    own_redis.start()
    executor = HeldExecutor()
    bridge = await start_bridge(coordinator.address, None, executor, redis_addr=own_redis.address)
    try:
        task_id = await add(own_redis.port, coordinator)
        await until(lambda: executor.running)
        own_redis.freeze()
        renewals = len(coordinator.renewals)
        await until(lambda: len(coordinator.renewals) > renewals + 4)  # longer than the lease would last
        executor.go()
        await until(lambda: coordinator.state(task_id) == "COMPLETED")
        assert not executor.cancelled
    finally:
        own_redis.thaw()
        await bridge.abandon()


@pytest.mark.parametrize("how", ["gone", "unavailable"])
async def test_the_coordinator_is_away_when_a_result_is_there(
    redis: Redis, redis_server: RedisServer, coordinator: TableCoordinator, bridges: Starter, how: str
) -> None:
    executor = HeldExecutor()
    await bridges(executor, lease_ttl_seconds=60)
    task_id = await add(redis_server.port, coordinator)
    await until(lambda: executor.running)
    if how == "gone":
        await coordinator.stop()
    else:
        coordinator.trouble = unavailable
    executor.go()
    await asyncio.sleep(0.5)
    assert coordinator.state(task_id) == "RUNNING"
    coordinator.trouble = None
    if how == "gone":
        await coordinator.start()
    await until(lambda: coordinator.state(task_id) == "COMPLETED")
    assert len(executor.started) == 1


async def test_a_silent_coordinator_ends_the_execution_when_the_lease_is_over(
    redis: Redis, redis_server: RedisServer, coordinator: TableCoordinator, bridges: Starter
) -> None:
    executor = HeldExecutor()
    await bridges(executor, lease_ttl_seconds=2)
    task_id = await add(redis_server.port, coordinator)
    await until(lambda: executor.running)
    coordinator.trouble = silent
    await until(lambda: executor.cancelled)
    # Nobody said that another has the task, so that its entry stays, and is executed when the coordinator is back.
    assert (await redis.xpending(STREAM, "workers"))["pending"] == 1
    assert coordinator.reports == []
    coordinator.trouble = None
    executor.go()
    await until(lambda: coordinator.state(task_id) == "COMPLETED")
    assert len(coordinator.rows[task_id].accepted) == 1


async def test_an_outage_of_the_coordinator_counts_as_no_delivery(
    redis: Redis, redis_server: RedisServer, coordinator: TableCoordinator, bridges: Starter
) -> None:
    coordinator.trouble = unavailable
    executor = HeldExecutor(free=True)
    for _ in range(2):
        await bridges(executor, lease_ttl_seconds=1, worker_max_deliveries=3)
    task_id = await add(redis_server.port, coordinator)
    await until(lambda: coordinator.acquires)
    await asyncio.sleep(6)  # six TTLs: each bridge would have claimed it from the other several times
    coordinator.trouble = None
    await until(lambda: coordinator.state(task_id) != "QUEUED")
    await until(lambda: coordinator.state(task_id) == "COMPLETED")


async def test_a_language_server_that_dies_costs_the_task_nothing(
    redis: Redis, redis_server: RedisServer, coordinator: TableCoordinator, bridges: Starter
) -> None:
    one, other = LanguageServer(LANG_RUNTIMES="python"), LanguageServer(LANG_RUNTIMES="python")
    for server in (one, other):
        await asyncio.to_thread(server.start)
    try:
        await bridges(None, lang_worker_addrs=f"python:{one.address},python:{other.address}", lease_ttl_seconds=6)
        code = "import time\ntime.sleep(2)\nreturn 7"
        ids = [await add(redis_server.port, coordinator, input=program(code, timeout_seconds=20)) for _ in range(4)]
        await until(lambda: all(coordinator.state(task_id) == "RUNNING" for task_id in ids))
        await asyncio.sleep(1)
        one.kill()
        await until(lambda: all(coordinator.state(task_id) == "COMPLETED" for task_id in ids), 60)
        other.kill()
        last = await add(redis_server.port, coordinator, input=program("return 8"))
        await asyncio.sleep(1)
        assert coordinator.state(last) in ("QUEUED", "RUNNING")
        await asyncio.to_thread(one.start)
        await until(lambda: coordinator.state(last) == "COMPLETED", 60)
        assert {report.status for report in coordinator.reports} == {"completed"}
    finally:
        one.stop()
        other.stop()


async def test_a_bridge_without_language_servers_leaves_their_tasks_to_others(
    redis: Redis, redis_server: RedisServer, coordinator: TableCoordinator, bridges: Starter
) -> None:
    alone = await bridges(None, lang_worker_addrs=f"python:127.0.0.1:{free_port()}", lease_ttl_seconds=60)
    servers = alone.bridge._executors._by_type["python"]._servers._servers  # type: ignore[attr-defined]
    await until(lambda: not servers[0].well)
    ids = [await add(redis_server.port, coordinator) for _ in range(20)]
    other = await bridges(HeldExecutor(free=True), lease_ttl_seconds=60)
    await until(lambda: all(coordinator.state(task_id) == "COMPLETED" for task_id in ids))
    assert {report.owner for report in coordinator.reports} == {other.bridge.worker_id}

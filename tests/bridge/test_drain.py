"""SIGTERM: reads no more, finishes and reports what runs, gives back what did not start."""

from __future__ import annotations

import asyncio

from redis.asyncio import Redis

from tests.bridge.bridges import HeldExecutor, Starter
from tests.bridge.coordinator import TableCoordinator, unavailable
from tests.bridge.tasks import a_task, fields
from tests.bridge.waiting import until
from worker_bridge.shell.reader import Reader
from worker_bridge.streams.redis import RedisConsumer

STREAM = "tasks:python:0"


async def add(redis: Redis, coordinator: TableCoordinator) -> str:
    task = a_task()
    coordinator.add(task)
    await redis.xadd(STREAM, fields(task))
    return task.task_id


def readers() -> list[asyncio.Task[object]]:
    return [task for task in asyncio.all_tasks() if task.get_coro().__qualname__ == Reader.run.__qualname__]


async def test_what_runs_is_finished_renewed_and_reported_and_nothing_new_is_read(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    executor = HeldExecutor()
    bridge = await bridges(executor)
    running = await add(redis, coordinator)
    await until(lambda: executor.running)
    assert len(readers()) == 1
    bridge.bridge.stop()
    await until(lambda: not readers())  # what one of them has in its hands is no news
    waiting = await add(redis, coordinator)
    renewals = len(coordinator.renewals)
    await until(lambda: len(coordinator.renewals) > renewals + 4)  # longer than the lease would last
    assert not bridge.over.done()
    executor.go()
    await bridge.over
    assert coordinator.state(running) == "COMPLETED"
    assert coordinator.state(waiting) == "QUEUED"
    assert await redis.xlen(STREAM) == 1
    assert await redis.xpending_range(STREAM, "workers", "-", "+", 9) == []


async def test_a_stop_does_not_wait_for_a_blocked_read(bridges: Starter) -> None:
    bridge = await bridges(HeldExecutor(), worker_drain_seconds=0)
    await asyncio.sleep(0.2)
    started = asyncio.get_running_loop().time()
    await bridge.stop()
    assert asyncio.get_running_loop().time() - started < 1.5  # a read blocks for two seconds


async def test_what_has_no_lease_yet_is_given_back(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter, consumer: RedisConsumer
) -> None:
    coordinator.trouble = unavailable
    executor = HeldExecutor(free=True)
    bridge = await bridges(executor, lease_ttl_seconds=60)
    await add(redis, coordinator)
    await until(lambda: coordinator.acquires)
    await bridge.stop()
    # Another worker need not wait for the TTL, and this was no delivery.
    (entry,) = (await consumer.claim(STREAM, 60, 9, "")).entries
    assert entry.deliveries == 1


async def test_an_answer_that_nobody_waited_for_is_given_back(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter, consumer: RedisConsumer
) -> None:
    executor = HeldExecutor()
    bridge = await bridges(executor, lease_ttl_seconds=60, worker_concurrency=1, worker_drain_seconds=0)
    await add(redis, coordinator)
    await until(lambda: executor.running)
    await add(redis, coordinator)
    # As if Redis had answered a read that was given up: delivered to the bridge, and in no hand.
    ((_, ((number, _),)),) = await redis.xreadgroup("workers", bridge.bridge.worker_id, {STREAM: ">"})
    await bridge.stop()
    (entry,) = (await consumer.claim(STREAM, 60, 9, "")).entries
    assert entry.id == number.decode()


async def test_a_second_signal_cuts_off(redis: Redis, coordinator: TableCoordinator, bridges: Starter) -> None:
    executor = HeldExecutor()
    bridge = await bridges(executor)
    await add(redis, coordinator)
    await until(lambda: executor.running)
    bridge.bridge.stop()
    bridge.bridge.stop()
    await bridge.over
    assert executor.cancelled
    assert coordinator.reports == []
    assert len(await redis.xpending_range(STREAM, "workers", "-", "+", 9)) == 1

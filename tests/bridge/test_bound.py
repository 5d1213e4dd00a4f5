"""Never more entries in hand than slots, whatever the number of streams; and each stream has its turn."""

from __future__ import annotations

import asyncio

from redis.asyncio import Redis

from tests.bridge.bridges import HeldExecutor, Starter
from tests.bridge.coordinator import TableCoordinator
from tests.bridge.tasks import a_task, fields
from tests.bridge.waiting import until
from worker_bridge.core.envelope import Task
from worker_bridge.core.outcome import Outcome

STREAMS = [f"tasks:{queue}:0" for queue in "abcd"]


class Watched(HeldExecutor):
    """Looks at all that is pending for the bridge while each task runs."""

    def __init__(self, redis: Redis) -> None:
        super().__init__(free=True)
        self._redis = redis
        self.pending: list[int] = []

    async def execute(self, task: Task, seconds: int) -> Outcome:
        outcome = await super().execute(task, seconds)
        async with self._redis.pipeline(transaction=True) as all_at_once:
            for stream in STREAMS:
                all_at_once.xpending(stream, "workers")
            self.pending.append(sum(answer["pending"] for answer in await all_at_once.execute()))
        return outcome


async def test_three_slots_and_a_thousand_entries_in_four_streams(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    for number in range(1000):
        task = a_task()
        coordinator.add(task)
        await redis.xadd(STREAMS[number % 4], fields(task))
    executor = Watched(redis)
    for stream in STREAMS:
        await redis.xgroup_create(stream, "workers", id="0")
    await bridges(executor, worker_queues="a,b,c,d", worker_concurrency=3, lease_ttl_seconds=90)
    await until(lambda: all(row.state == "COMPLETED" for row in coordinator.rows.values()), 100)
    assert len(executor.pending) == 1000
    assert max(executor.pending) <= 3
    assert executor.most <= 3
    assert max(executor.pending) > 1  # it does work in parallel
    assert all(len(row.accepted) == 1 for row in coordinator.rows.values())


async def test_a_full_stream_does_not_keep_the_others_waiting(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    order: list[str] = []

    class Ordered(HeldExecutor):
        async def execute(self, task: Task, seconds: int) -> Outcome:
            order.append(task.node_id)
            return await super().execute(task, seconds)

    for stream, count in zip(STREAMS, (200, 20, 20, 20), strict=True):
        for _ in range(count):
            task = a_task(node_id=stream)
            coordinator.add(task)
            await redis.xadd(stream, fields(task))
    await bridges(Ordered(free=True), worker_queues="a,b,c,d", worker_concurrency=1, lease_ttl_seconds=90)
    await until(lambda: len(order) == 260, 60)
    # One slot, four streams with entries: each fourth execution is of each.
    for stream in STREAMS[1:]:
        assert order[:90].count(stream) >= 18


async def test_a_reader_that_waits_holds_no_slot(redis: Redis, coordinator: TableCoordinator, bridges: Starter) -> None:
    executor = HeldExecutor()
    bridge = await bridges(executor, worker_queues="a,b,c,d", worker_concurrency=2, lease_ttl_seconds=90)
    for _ in range(50):
        await asyncio.sleep(0.01)
        if bridge.bridge._hand.in_hand == 0:
            break
    for _ in range(3):
        task = a_task()
        coordinator.add(task)
        await redis.xadd("tasks:d:0", fields(task))
    await until(lambda: len(executor.running) == 2)  # both slots serve the one stream that has entries
    executor.go()
    await until(lambda: len(executor.started) == 3)

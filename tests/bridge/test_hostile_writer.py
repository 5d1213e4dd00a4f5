"""Whoever can add to the streams changes no task's result or state."""

from __future__ import annotations

import json
from dataclasses import replace

from redis.asyncio import Redis

from tests.bridge.bridges import HeldExecutor, Starter
from tests.bridge.coordinator import TableCoordinator
from tests.bridge.tasks import a_task, fields, program
from tests.bridge.waiting import until

STREAM = "tasks:python:0"
EVIL = program("return 'evil'")


async def test_forged_entries_change_nothing(redis: Redis, coordinator: TableCoordinator, bridges: Starter) -> None:
    waiting, running, done = a_task(), a_task(), a_task()
    for task in (waiting, running, done):
        coordinator.add(task)
    coordinator.rows[done.task_id].state = "COMPLETED"
    executor = HeldExecutor()
    bridge = await bridges(executor, lease_ttl_seconds=60, worker_concurrency=4)
    await redis.xadd(STREAM, fields(running))
    await until(lambda: executor.running)
    forged = 0
    for task in (waiting, running, done):
        for entry in (
            replace(task, input=EVIL),
            replace(task, node_type="js"),
            replace(task, node_type="nothing-known"),
            replace(task, node_id="another"),
            replace(task, workflow_id="another"),
            replace(task, attempt=2),
            replace(task, attempt=(1 << 31) - 1),
            replace(task, run_id="another"),
        ):
            await redis.xadd(STREAM, fields(entry))
            await redis.xadd(STREAM, {"payload": json.dumps(fields(entry))})
            forged += 2
    await redis.xadd(STREAM, {"payload": "[" * 1_000_000})
    await redis.xadd(STREAM, {"payload": "x" * (21 << 20)})
    await redis.xadd(STREAM, {**fields(waiting), "input": "y" * (21 << 20)})
    await redis.xadd(STREAM, {f"field{n}": "" for n in range(10_000)})
    await redis.xadd(STREAM, {b"task_id": b"\xff\x00", b"run_id": b"\r\n", b"node_type": b"python"})
    await until(lambda: len(coordinator.acquires) >= 1 + forged, 60)
    await until(lambda: bridge.bridge._hand.in_hand == 1, 60)
    assert [task.task_id for task in executor.started] == [running.task_id]
    assert coordinator.reports == []
    assert coordinator.state(waiting.task_id) == "QUEUED"
    assert coordinator.state(done.task_id) == "COMPLETED"
    # The real entry is as good as it was before all that.
    await redis.xadd(STREAM, fields(waiting))
    await until(lambda: len(executor.running) == 2)
    executor.go()
    await until(lambda: coordinator.state(waiting.task_id) == coordinator.state(running.task_id) == "COMPLETED")
    assert all(len(coordinator.rows[task.task_id].accepted) == 1 for task in (waiting, running))
    assert {task.input for task in executor.started} == {waiting.input}
    parked = await redis.xrange(f"{STREAM}:dead")
    assert all(len(values[b"reason"]) < 1_000 for _, values in parked)
    assert await redis.memory_usage(f"{STREAM}:dead", samples=0) < 4 << 20  # of what is too large only the reason stays


async def test_a_thousand_copies_run_once(redis: Redis, coordinator: TableCoordinator, bridges: Starter) -> None:
    task = a_task()
    coordinator.add(task)
    for _ in range(1000):
        await redis.xadd(STREAM, fields(task))
    executor = HeldExecutor()
    bridge = await bridges(executor, lease_ttl_seconds=60)
    await until(lambda: len(coordinator.acquires) == 1000, 60)
    await until(lambda: bridge.bridge._hand.in_hand == 1)
    executor.go()
    await until(lambda: coordinator.state(task.task_id) == "COMPLETED")
    assert len(executor.started) == 1
    # What was set aside comes back when it has been idle for long, and is dropped then.
    aside = [row["message_id"] for row in await redis.xpending_range(STREAM, "workers", "-", "+", 1000)]
    await redis.xclaim(STREAM, "workers", "parked", 0, aside, idle=61_000, justid=True)
    await bridge.stop()
    await bridges(executor, lease_ttl_seconds=60)

    async def empty() -> bool:
        return await redis.xlen(STREAM) == 0

    await until(empty, 60)
    assert len(coordinator.rows[task.task_id].accepted) == 1


async def test_a_forged_entry_that_is_delivered_too_often_fails_nobody(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    task = a_task()
    coordinator.add(task)
    await redis.xgroup_create(STREAM, "workers", id="0", mkstream=True)
    number = await redis.xadd(STREAM, fields(replace(task, input=EVIL)))
    await redis.xreadgroup("workers", "somebody", {STREAM: ">"})
    await redis.xclaim(STREAM, "workers", "somebody", 0, [number], retrycount=100, idle=100_000)
    await bridges(HeldExecutor(free=True), lease_ttl_seconds=60)
    await until(lambda: redis.exists(f"{STREAM}:dead"))
    assert coordinator.state(task.task_id) == "QUEUED"
    assert coordinator.reports == []

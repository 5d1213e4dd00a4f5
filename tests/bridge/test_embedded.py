"""A bridge inside a running loop, on streams in this process: what one command on a laptop needs."""

from __future__ import annotations

import gc
import os

from tests.bridge.bridges import HeldExecutor, start_bridge
from tests.bridge.coordinator import TableCoordinator
from tests.bridge.tasks import a_task, fields
from tests.bridge.waiting import until
from worker_bridge.streams.memory import MemoryStreams

STREAM = "tasks:python:0"


async def test_two_bridges_work_on_streams_in_this_process(coordinator: TableCoordinator) -> None:
    streams, executor = MemoryStreams(), HeldExecutor(free=True)
    started = [
        await start_bridge(coordinator.address, streams.consumer(name), executor, worker_id=name)
        for name in ("one", "two")
    ]
    for _ in range(50):
        task = a_task()
        coordinator.add(task)
        await streams.add(STREAM, fields(task))
    await streams.add(STREAM, {"poison": "1"})
    await until(lambda: all(row.state == "COMPLETED" for row in coordinator.rows.values()))
    await until(lambda: not streams.entries(STREAM))
    assert len(streams.entries(f"{STREAM}:dead")) == 1
    assert {report.owner for report in coordinator.reports} == {"one", "two"}
    for bridge in started:
        await bridge.stop()


async def test_a_bridge_leaves_nothing_behind(coordinator: TableCoordinator) -> None:
    async def life() -> None:
        streams, executor = MemoryStreams(), HeldExecutor(free=True)
        bridge = await start_bridge(coordinator.address, streams.consumer("one"), executor, worker_id="one")
        task = a_task()
        coordinator.add(task)
        await streams.add(STREAM, fields(task))
        await until(lambda: coordinator.state(task.task_id) == "COMPLETED")
        await bridge.stop()

    await life()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        await life()

    def as_before() -> bool:
        gc.collect()  # a closed channel of gRPC is part of a cycle
        return len(os.listdir("/proc/self/fd")) <= before

    await until(as_before)

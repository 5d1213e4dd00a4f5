"""Two bridges, each a process, paused past their leases: another takes their tasks, and they learn it on waking."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from tests.bridge.bridges import HeldExecutor, Starter
from tests.bridge.coordinator import TableCoordinator
from tests.bridge.language_server import LanguageServer
from tests.bridge.redis_server import RedisServer
from tests.bridge.tasks import a_task, fields, program
from tests.bridge.waiting import until

STREAM = "tasks:python:0"
BRIDGE = Path(sys.executable).with_name("worker-bridge")


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    one = LanguageServer(LANG_RUNTIMES="python")
    one.start()
    yield one
    one.stop()


def start(worker_id: str, coordinator: TableCoordinator, redis_server: RedisServer, server: LanguageServer, log: Path):
    with log.open("w") as stderr:
        return subprocess.Popen(
            [BRIDGE, "run"],
            env=os.environ
            | {
                "COORDINATOR_ADDR": coordinator.address,
                "REDIS_ADDR": redis_server.address,
                "LANG_WORKER_ADDRS": f"python:{server.address}",
                "LEASE_TTL_SECONDS": "3",
                "WORKER_ID": worker_id,
            },
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )


async def test_what_was_taken_over_is_reported_once(
    redis: Redis,
    redis_server: RedisServer,
    coordinator: TableCoordinator,
    bridges: Starter,
    server: LanguageServer,
    tmp_path: Path,
) -> None:
    names = ("one", "two")
    logs = [tmp_path / name for name in names]
    paused = [start(name, coordinator, redis_server, server, log) for name, log in zip(names, logs, strict=True)]
    try:
        for process in paused:
            assert process.stdout is not None
            line = await asyncio.to_thread(process.stdout.readline)
            assert line.startswith("worker-bridge ")
        tasks = [a_task(input=program("import time\ntime.sleep(60)\nreturn 1", timeout_seconds=80)) for _ in range(4)]
        for task in tasks:
            coordinator.add(task)
            await redis.xadd(STREAM, fields(task))
        rows = [coordinator.rows[task.task_id] for task in tasks]
        await until(lambda: all(row.state == "RUNNING" for row in rows))
        for process in paused:
            process.send_signal(signal.SIGSTOP)
        executor = HeldExecutor(free=True)
        third = await bridges(executor, lease_ttl_seconds=3)
        await until(lambda: all(row.state == "COMPLETED" for row in rows), 60)
        acquired, reported = len(coordinator.acquires), len(coordinator.reports)
        for process in paused:
            process.send_signal(signal.SIGCONT)
        for log, name in zip(logs, names, strict=True):
            held = sum(request.owner == name for request in coordinator.acquires)
            await until(
                lambda log=log, held=held: log.read_text().count("the lease") >= min(held, 1), 30, log.read_text()
            )
        # They still work, and hold nothing: what they executed was cancelled.
        for process in paused:
            process.send_signal(signal.SIGTERM)
        for process in paused:
            assert await asyncio.to_thread(process.wait, 20) == 0  # sooner than the sixty seconds of the tasks
        assert {report.owner for report in coordinator.reports} == {third.bridge.worker_id}
        assert all(len(row.accepted) == 1 for row in rows)
        assert len(coordinator.reports) >= reported
        assert acquired >= len(tasks) * 2

        async def nothing_left() -> bool:
            return await redis.xlen(STREAM) == 0 and not await redis.xpending_range(STREAM, "workers", "-", "+", 9)

        await until(nothing_left)
    finally:
        for process in paused:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()

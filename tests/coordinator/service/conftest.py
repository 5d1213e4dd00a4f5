"""A coordinator in this process, before a real Redis, and somebody who talks to it."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import grpc
import pytest
from redis.asyncio import Redis

from coordinator.app import Coordinator
from coordinator.core.digest import task_digest
from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc as pb_grpc
from coordinator.settings import Settings
from tests.coordinator.servers import GUARD_SECONDS, RedisServer
from tests.coordinator.store.conftest import Table


async def eventually(condition: Callable[[], Awaitable[object]], what: str) -> object:
    """What the condition says once it says something true; waits generously."""
    deadline = time.monotonic() + GUARD_SECONDS
    while not (found := await condition()):
        assert time.monotonic() < deadline, f"{what}: not within {GUARD_SECONDS} s"
        await asyncio.sleep(0.02)
    return found


@dataclass
class Caller:
    """Stubs of one coordinator, and the Redis behind it."""

    coordinator: Coordinator
    redis: Redis
    prefix: str
    channel: grpc.aio.Channel = field(init=False)

    def __post_init__(self) -> None:
        self.channel = grpc.aio.insecure_channel(str(self.coordinator.address))
        self.tasks = pb_grpc.CoordinatorStub(self.channel)
        self.workflow = pb_grpc.WorkflowServiceStub(self.channel)

    @property
    def table(self) -> Table:
        """Behind its back."""
        return Table(self.coordinator._database)

    async def submit(self, *task_ids: str, run_id: str = "r", **fields: object) -> None:
        fields = {"node_type": "python", "input": b'{"code": "return 1"}', **fields}
        new = [pb.NewTask(task_id=task_id, run_id=run_id, **fields) for task_id in task_ids]
        await self.tasks.SubmitTasks(pb.SubmitTasksRequest(tasks=new))

    async def task(self, task_id: str = "t") -> pb.Task:
        request = pb.ListTasksRequest(run_id="r", task_ids=[task_id])
        (found,) = [task async for task in self.tasks.ListTasks(request)]
        return found

    async def in_state(self, state: str, task_id: str = "t") -> pb.Task:
        async def look() -> pb.Task | None:
            task = await self.task(task_id)
            return task if task.state == pb.TaskState.Value(f"TASK_STATE_{state}") else None

        return await eventually(look, f"{task_id} is {state}")

    def stream(self, queue: str = "python") -> str:
        return f"{self.prefix}:{queue}:0"

    async def entries(self, queue: str = "python") -> list[tuple[str, dict[str, str]]]:
        return await self.redis.xrange(self.stream(queue))

    async def acquire(self, task_id: str = "t", owner: str = "w1", **asked: object) -> pb.AcquireTaskLeaseResponse:
        request = pb.AcquireTaskLeaseRequest(task_id=task_id, run_id="r", owner=owner, ttl_seconds=60, **asked)
        return await self.workflow.AcquireTaskLease(request)

    async def report(
        self, task_id: str = "t", status: str = "completed", **said: object
    ) -> pb.ReportTaskResultResponse:
        fields = {"owner": "w1", "attempt": 1, "output": b"1" if status == "completed" else b"", **said}
        return await self.workflow.ReportTaskResult(
            pb.ReportTaskResultRequest(task_id=task_id, run_id="r", status=status, **fields)
        )

    async def close(self) -> None:
        await self.channel.close()


def digest_of(entry: dict[str, str]) -> bytes:
    """As a worker computes it from the entry alone."""
    return task_digest(
        run_id=entry["run_id"],
        task_id=entry["task_id"],
        node_id=entry["node_id"],
        node_type=entry["node_type"],
        workflow_id=entry["workflow_id"],
        attempt=int(entry["attempt"]),
        input_json=entry["input"].encode(),
    )


Start = Callable[..., Awaitable[Caller]]


@pytest.fixture
async def start(redis_server: RedisServer, tmp_path) -> AsyncIterator[Start]:
    """Starts coordinators; each has a SQLite file of its own, unless it is told otherwise."""
    started: list[Caller] = []

    async def go(redis: RedisServer = redis_server, **changes: object) -> Caller:
        settings = {
            "listen_addr": "127.0.0.1:0",
            "database_url": f"sqlite:///{tmp_path}/{len(started)}.db",
            "redis_addr": redis.addr,
            "stream_prefix": f"test-{uuid.uuid4().hex}",
            "sweep_seconds": 1,
            **changes,
        }
        coordinator = Coordinator(Settings(**settings))
        await coordinator.start()
        client = Redis(host="127.0.0.1", port=redis.port, decode_responses=True)
        started.append(Caller(coordinator, client, settings["stream_prefix"]))
        return started[-1]

    yield go
    for caller in started:
        await caller.close()
        await caller.redis.aclose()
        await caller.coordinator.stop()


@pytest.fixture
async def caller(start: Start) -> Caller:
    """A coordinator with the usual settings."""
    return await start()

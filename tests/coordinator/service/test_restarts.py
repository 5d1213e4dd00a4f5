"""SIGKILL at any point loses nothing; two coordinators on one database do not get into each other's way."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import uuid
from contextlib import suppress
from pathlib import Path

import grpc
import pytest

from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc as pb_grpc
from tests.coordinator.servers import RedisServer, free_port, until
from tests.coordinator.service.serving import Serving

DEADLY = (sys.executable, str(Path(__file__).with_name("deadly_streams.py")))


class Client:
    """A plain one: each call is made on a connection of its own, and waits for the coordinator."""

    def __init__(self, addr: str) -> None:
        self._addr = addr

    def call(self, stub: type, method: str, request: object):
        with grpc.insecure_channel(self._addr) as channel:
            return getattr(stub(channel), method)(request, wait_for_ready=True, timeout=30)

    def submit(self, *task_ids: str) -> None:
        new = [pb.NewTask(task_id=task_id, run_id="r", node_type="python") for task_id in task_ids]
        self.call(pb_grpc.CoordinatorStub, "SubmitTasks", pb.SubmitTasksRequest(tasks=new))

    def acquire(self, task_id: str, owner: str = "w") -> pb.AcquireTaskLeaseResponse:
        request = pb.AcquireTaskLeaseRequest(task_id=task_id, run_id="r", owner=owner)
        return self.call(pb_grpc.WorkflowServiceStub, "AcquireTaskLease", request)

    def report(self, task_id: str, fence: int) -> pb.ReportTaskResultResponse:
        request = pb.ReportTaskResultRequest(task_id=task_id, run_id="r", fence=fence, status="completed", output=b"1")
        return self.call(pb_grpc.WorkflowServiceStub, "ReportTaskResult", request)

    def counts(self) -> pb.TaskCounts:
        return self.call(pb_grpc.CoordinatorStub, "CountTasks", pb.CountTasksRequest(run_id="r"))


@pytest.fixture
def prefix() -> dict[str, str]:
    return {"STREAM_PREFIX": f"test-{uuid.uuid4().hex}"}


def entries(redis: RedisServer, environment: dict[str, str]) -> list[str]:
    """The tasks whose entries are in the stream."""
    import redis as client

    with client.Redis(port=redis.port, decode_responses=True) as connection:
        found = connection.xrange(f"{environment['STREAM_PREFIX']}:python:0")
    return [entry["task_id"] for _, entry in found]


def test_killed_between_commit_and_dispatch(database_url, prefix, tmp_path):
    redis = RedisServer(tmp_path)
    serving = Serving(database_url, redis.addr, prefix)
    Client(serving.addr).submit("a", "b")
    serving.kill()

    redis.start()
    serving = Serving(database_url, redis.addr, prefix)
    try:
        until(lambda: set(entries(redis, prefix)) == {"a", "b"}, "both are dispatched")
        assert Client(serving.addr).acquire("a").acquired
    finally:
        serving.kill()
        redis.kill()


def test_killed_between_dispatch_and_its_commit(database_url, prefix, redis_server):
    serving = Serving(database_url, redis_server.addr, prefix, DEADLY)
    with suppress(grpc.RpcError):  # it may die before its answer is out
        Client(serving.addr).submit("t")
    assert serving.process.wait(60) == -signal.SIGKILL
    serving.kill()
    assert entries(redis_server, prefix) == ["t"]

    serving = Serving(database_url, redis_server.addr, prefix)
    try:
        client = Client(serving.addr)
        until(lambda: client.counts() == pb.TaskCounts(queued=1), "it is dispatched again")
        assert entries(redis_server, prefix) == ["t", "t"]
        lease = client.acquire("t")
        assert client.report("t", lease.fence).accepted
        assert client.acquire("t").reason == pb.LEASE_REASON_DONE  # the other entry
    finally:
        serving.kill()


def test_killed_with_a_lease_given(database_url, prefix, redis_server):
    serving = Serving(database_url, redis_server.addr, prefix)
    client = Client(serving.addr)
    client.submit("t")
    until(lambda: client.counts().queued == 1, "it is dispatched")
    lease = client.acquire("t", "w1")
    serving.kill()

    serving = Serving(database_url, redis_server.addr, prefix)
    try:
        client = Client(serving.addr)
        assert client.acquire("t", "w2").reason == pb.LEASE_REASON_HELD
        assert client.report("t", lease.fence).accepted
    finally:
        serving.kill()


def test_sigterm_stops_it(redis_server, tmp_path, prefix):
    serving = Serving(f"sqlite:///{tmp_path}/t.db", redis_server.addr, prefix)
    Client(serving.addr).submit("t")

    assert serving.stop() == 0
    again = Serving(f"sqlite:///{tmp_path}/t.db", redis_server.addr, prefix)
    assert Client(again.addr).counts().failed == 0
    assert again.stop() == 0


def test_sigterm_stops_it_without_redis(tmp_path, prefix):
    serving = Serving(f"sqlite:///{tmp_path}/t.db", f"127.0.0.1:{free_port()}", prefix)
    Client(serving.addr).submit("t")

    assert serving.stop() == 0


async def test_two_on_one_database(start, postgres_server):
    shared = {"database_url": postgres_server.new_database(), "stream_prefix": f"test-{uuid.uuid4().hex}"}
    one, two = await start(**shared), await start(**shared)
    names = [f"t{number}" for number in range(120)]

    await asyncio.gather(one.submit(*names[:80]), two.submit(*names[40:]))
    for name in names:
        await two.in_state("QUEUED", name)
    assert sorted(entry["task_id"] for _, entry in await one.entries()) == sorted(names)

    for name in names[:30]:
        asked = [(caller, f"w{number}") for number, caller in enumerate((one, two) * 4)]
        answers = await asyncio.gather(*(caller.acquire(name, owner) for caller, owner in asked))
        assert [answer.fence for answer in answers if answer.acquired] == [1]
        (fence,) = [answer.fence for answer in answers if answer.acquired]
        reports = await asyncio.gather(*(caller.report(name, owner="", fence=fence) for caller in (one, two, one, two)))
        assert sorted(report.accepted for report in reports) == [False, False, False, True]


def test_the_process_is_private():
    asked = (
        "import ctypes; from coordinator.cli import main; status = main(['serve']); "
        "print(status, ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", asked],
        env={"COORDINATOR_LISTEN_ADDR": "nowhere"},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )

    assert ended.stdout == "3 0\n"
    assert "COORDINATOR_LISTEN_ADDR is 'nowhere': expected HOST:PORT" in ended.stderr

"""The command as a user starts it, before a coordinator in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest

from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc as pb_grpc
from tests.coordinator.servers import GUARD_SECONDS, RedisServer
from tests.coordinator.service.serving import COMMAND, Serving


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]


Cli = Callable[..., Ended]


@pytest.fixture(scope="module")
def prefix() -> str:
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, redis_server: RedisServer, prefix: str) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("serving")
    serving = Serving(
        f"sqlite:///{folder}/t.db", redis_server.addr, {"STREAM_PREFIX": prefix, "COORDINATOR_RETRY_SECONDS": "0"}
    )
    yield serving
    serving.kill()


@pytest.fixture
def typed(tmp_path: Path) -> Cli:
    """Runs `coordinator` with these arguments in a folder of its own; none of its errors may be a traceback."""

    def run(*arguments: str, stdin: bytes = b"", addr: str = "127.0.0.1:1") -> Ended:
        ended = subprocess.run(
            [*COMMAND, *arguments],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, "COORDINATOR_ADDR": addr, "PYTHONPATH": str(Path(__file__).parents[3])},
            timeout=GUARD_SECONDS,
            check=False,
        )
        assert b"Traceback" not in ended.stderr, ended.stderr.decode()
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    return run


@pytest.fixture
def cli(typed: Cli, serving: Serving) -> Cli:
    return lambda *arguments, **options: typed(*arguments, addr=serving.addr, **options)


@pytest.fixture
def worker(serving: Serving, redis_server: RedisServer, prefix: str) -> Iterator[None]:
    """Executes python tasks: returns `value` of the input, or fails where it has `error`."""
    over = threading.Event()
    thread = threading.Thread(target=_work, args=(serving.addr, redis_server.port, prefix, over))
    thread.start()
    yield
    over.set()
    thread.join()


def _work(addr: str, port: int, prefix: str, over: threading.Event) -> None:
    import redis

    newest = "0-0"
    with grpc.insecure_channel(addr) as channel, redis.Redis(port=port, decode_responses=True) as connection:
        stub = pb_grpc.WorkflowServiceStub(channel)
        while not over.is_set():
            for _, entries in connection.xread({f"{prefix}:python:0": newest}, block=50, count=20) or []:
                for entry_id, fields in entries:
                    newest = entry_id
                    _execute(stub, fields)


def _execute(stub: pb_grpc.WorkflowServiceStub, fields: dict[str, str]) -> None:
    key = {"task_id": fields["task_id"], "run_id": fields["run_id"], "owner": "tests"}
    lease = stub.AcquireTaskLease(pb.AcquireTaskLeaseRequest(**key))
    if not lease.acquired:
        return
    asked = json.loads(fields["input"])
    said = {"status": "failed", "error": asked["error"]} if "error" in asked else {"status": "completed"}
    if "error" not in asked:
        said["output"] = json.dumps(asked.get("value"), indent=2).encode()
    stub.ReportTaskResult(pb.ReportTaskResultRequest(**key, attempt=lease.attempt, fence=lease.fence, **said))

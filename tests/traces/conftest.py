"""One installation of real processes, whose spans go to a collector of ours, for all tests of a file."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc as pb_grpc
from langserver.pb import lang_pb2, lang_pb2_grpc
from tests.chaos.processes import Part, free_port, python
from tests.coordinator.servers import RedisServer
from tests.traces.collector import GUARD_SECONDS, Collector, collecting


@dataclass
class Installation:
    collector: Collector
    coordinator: pb_grpc.CoordinatorStub
    language: lang_pb2_grpc.LanguageServerStub
    parts: dict[str, Part]
    redis: RedisServer

    def submit(self, task: pb.NewTask, **call: object) -> pb.Task:
        """Waits for its end."""
        (created,) = self.coordinator.SubmitTasks(pb.SubmitTasksRequest(tasks=[task]), **call).tasks
        return self.ended(created.run_id)

    def ended(self, run_id: str) -> pb.Task:
        deadline = time.monotonic() + GUARD_SECONDS
        while True:
            tasks = list(self.coordinator.ListTasks(pb.ListTasksRequest(run_id=run_id)))
            if tasks and tasks[0].state in (pb.TASK_STATE_COMPLETED, pb.TASK_STATE_FAILED):
                return tasks[0]
            assert time.monotonic() < deadline, self.parts["worker-bridge"].words
            time.sleep(0.02)

    def execute(self, code: str, metadata: tuple[tuple[str, str], ...] = (), **request: object) -> object:
        """The response, and the call."""
        asked = lang_pb2.ExecuteRequest(
            runtime="python",
            inline_code=lang_pb2.InlineCode(code=code),
            **request,  # type: ignore[arg-type]
        )
        return self.language.Execute.with_call(asked, timeout=GUARD_SECONDS, metadata=metadata)


async def _all(doing: Iterable[Coroutine[Any, Any, Any]]) -> None:
    await asyncio.gather(*doing)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder: Path = tmp_path_factory.mktemp("traces")
    redis = RedisServer(folder)
    with ExitStack() as stack:
        collector = stack.enter_context(collecting())
        redis.start()
        stack.callback(redis.kill)
        at, language = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
        shared = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_BSP_SCHEDULE_DELAY": "50",
            "REDIS_ADDR": redis.addr,
            "COORDINATOR_DATABASE_URL": f"sqlite:///{folder}/tasks.db",
            "COORDINATOR_ADDR": at,
            "COORDINATOR_RETRY_SECONDS": "0",
            "LANG_RUNTIMES": "python",
            "LANG_WARM_CHILDREN": "1",
            "LANG_WORKER_ADDRS": f"python:{language}",
            "WORKER_ID": "w1",
        }
        commands = {
            "coordinator": (python("coordinator.cli", "serve", "--listen", at), "listening on"),
            "langserver": (python("langserver", "serve", "--listen", language), "listening on"),
            "worker-bridge": (python("worker_bridge.cli", "run"), " reads "),
        }
        parts = {
            name: Part(name, command, folder / f"{name}.log", ready, **shared)
            for name, (command, ready) in commands.items()
        }
        stack.callback(lambda: asyncio.run(_all(part.stop() for part in parts.values() if part.running)))
        asyncio.run(_all(part.start() for part in parts.values()))
        channels = [stack.enter_context(grpc.insecure_channel(where)) for where in (at, language)]
        yield Installation(
            collector,
            pb_grpc.CoordinatorStub(channels[0]),
            lang_pb2_grpc.LanguageServerStub(channels[1]),
            parts,
            redis,
        )

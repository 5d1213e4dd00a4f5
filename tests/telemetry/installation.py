"""All programs as processes, with metrics, JSON lines and tokens, after work whose outcome is known."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families

from langserver.pb import lang_pb2, lang_pb2_grpc
from tests.coordinator.servers import GUARD_SECONDS, RedisServer, free_port

CANARY = "CANARY7f3a"  # in code, inputs, outputs, log lines, errors and tokens: never in log lines or figures
TOKEN = f"token-{CANARY}-of-ann"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
HOSTILE = '\n{"level": "error", "logger": "langserver.audit", "event": "FORGED"}\x1b[31m\u202e' + "\U0001f600" * 200
TOO_MANY = 60  # calls with a wrong token, more than may have a line each


def until(condition: Callable[[], Any], what: str) -> Any:
    """What it gives once it is true."""
    deadline = time.monotonic() + GUARD_SECONDS
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what}: not within {GUARD_SECONDS} s"
        time.sleep(0.02)
    return found


@dataclass
class Program:
    """One process. Its log is a file, since nobody reads it meanwhile."""

    name: str
    command: list[str]
    log: Path
    settings: dict[str, str]
    metrics_port: int = field(default_factory=free_port)

    def start(self) -> None:
        with self.log.open("wb") as log:
            known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
            prefix = {"langserver": "LANG", "worker-bridge": "WORKER", "coordinator": "COORDINATOR"}[self.name]
            settings = {f"{prefix}_METRICS_ADDR": f"127.0.0.1:{self.metrics_port}", f"{prefix}_LOG_FORMAT": "json"}
            self.process = subprocess.Popen(
                [sys.executable, "-m", *self.command],
                env=known | settings | self.settings,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def wait_until_ready(self) -> None:
        """It says one line then."""
        assert self.process.stdout is not None
        assert self.process.stdout.readline(), self.log.read_text()

    def lines(self, **wanted: object) -> list[dict[str, Any]]:
        """Its log, as far as it has these fields."""
        found = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line for line in found if wanted.items() <= line.items()]

    def text(self) -> str:
        """What Prometheus would get."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=GUARD_SECONDS) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain")
            return answer.read().decode()

    def figure(self, name: str, **labels: str) -> float:
        """The sum of the samples that have these labels."""
        samples = [sample for family in families(self.text()) for sample in family.samples]
        found = [sample.value for sample in samples if sample.name == name and labels.items() <= sample.labels.items()]
        assert found, (name, labels)
        return sum(found)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(GUARD_SECONDS)
        finally:
            self.process.kill()
            assert self.process.stdout is not None
            self.process.stdout.close()


def families(text: str) -> list[Any]:
    """Read by Prometheus's own parser."""
    return list(text_string_to_metric_families(text))


class Installation:
    """Started, worked with, still running."""

    def __init__(self, folder: Path) -> None:
        self.redis = RedisServer(folder)
        self.address = f"127.0.0.1:{free_port()}"
        coordinator = f"127.0.0.1:{free_port()}"
        tokens = folder / "tokens"
        tokens.write_text(f"ann:{TOKEN}\nbridge:another-{CANARY}-token\n")
        tokens.chmod(0o600)
        self.coordinator = Program(
            "coordinator",
            ["coordinator.cli", "serve", "--listen", coordinator],
            folder / "coordinator.log",
            {"REDIS_ADDR": self.redis.addr, "COORDINATOR_DATABASE_URL": f"sqlite:///{folder}/tasks.db"},
        )
        self.server = Program(
            "langserver",
            ["langserver", "serve", "--listen", self.address],
            folder / "langserver.log",
            {"LANG_AUTH_TOKENS_FILE": str(tokens), "LANG_MAX_CONCURRENCY": "2", "LANG_MAX_QUEUE": "0"},
        )
        self.bridge = Program(
            "worker-bridge",
            ["worker_bridge.cli", "run"],
            folder / "bridge.log",
            {
                "REDIS_ADDR": self.redis.addr,
                "COORDINATOR_ADDR": coordinator,
                "LANG_WORKER_ADDRS": f"python:{self.address}",
                "LANG_WORKER_TOKEN": f"another-{CANARY}-token",
            },
        )
        self.coordinator_address = coordinator
        self.programs = (self.coordinator, self.server, self.bridge)

    def start(self) -> None:
        self.redis.start()
        for program in self.programs:
            program.start()
        for program in self.programs:
            program.wait_until_ready()

    def stop(self) -> None:
        for program in reversed(self.programs):
            program.stop()
        self.redis.kill()

    def work(self) -> None:
        """What is counted afterwards."""
        with grpc.insecure_channel(self.address) as channel:
            stub = lang_pb2_grpc.LanguageServerStub(channel)
            self._calls(stub)
            self._kills(stub)
        self._tasks()

    def _calls(self, stub: lang_pb2_grpc.LanguageServerStub) -> None:
        for code in (
            f"def main(secret):\n    print(secret)\n    return secret  # {CANARY}",
            "return 1",
            "return 1",
            "return 1",  # compiled when it was seen for the second time, and found from then on
            f"raise ValueError('{CANARY}')",
            f"import os  # {CANARY}",
            f"'{CANARY}",
        ):
            stub.Execute(_request(code, input_json=f'{{"secret": "{CANARY}"}}'), metadata=_ann())
        stub.Execute(_request("1 + 1", runtime="js"), metadata=_ann())
        stub.Execute(_request("return 1", task_id=HOSTILE, metadata={"run_id": HOSTILE}), metadata=_ann())
        traced = ("traceparent", f"00-{TRACE}-00f067aa0ba902b7-01")
        stub.Execute(_request("return 2", task_id="traced", metadata={"run_id": "r1"}), metadata=(*_ann(), traced))
        stub.Execute(_request("while True: pass", timeout_seconds=1), metadata=_ann())
        stub.Validate(
            lang_pb2.ValidateRequest(runtime="python", inline_code=lang_pb2.InlineCode(code="return 1")),
            metadata=_ann(),
        )
        _fails(grpc.StatusCode.INVALID_ARGUMENT, lambda: stub.Execute(_request(""), metadata=_ann()))
        for _ in range(TOO_MANY):
            wrong = (("authorization", f"Bearer wrong-{CANARY}-token"),)
            _fails(grpc.StatusCode.UNAUTHENTICATED, lambda: stub.Execute(_request("return 1"), metadata=wrong))  # noqa: B023

    def _kills(self, stub: lang_pb2_grpc.LanguageServerStub) -> None:
        """A child ends as if by a forbidden call; two callers go away, a third one finds no slot; a zygote dies."""
        running = [stub.ExecuteStream(_request(f"print('{CANARY}')\nwhile True: pass"), metadata=_ann())]
        next(running[0])
        child = max(_children(self.server.process.pid), key=lambda process: process.cpu_times().user)
        child.send_signal(signal.SIGSYS)
        (last,) = running[0]
        assert last.response.error.kind == lang_pb2.ERROR_KIND_SANDBOX_VIOLATION
        running = [stub.ExecuteStream(_request("print(1)\nwhile True: pass"), metadata=_ann()) for _ in range(2)]
        for call in running:
            next(call)
        _fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: stub.Execute(_request("return 1"), metadata=_ann()))
        for call in running:
            call.cancel()
        until(lambda: self.server.figure("langserver_slots_in_use") == 0, "the slots are free")
        below = psutil.Process(self.server.process.pid).children(recursive=True)
        next(process for process in below if "js" in process.cmdline()).kill()
        lost = {"runtime": "js", "reason": "lost"}
        until(lambda: self.server.figure("langserver_zygote_restarts_total", **lost), "the zygote is missed")
        until(lambda: self.server.figure("langserver_serving", runtime="js"), "there is another")

    def _tasks(self) -> None:
        tasks = [
            {"node_type": "python", "task_id": "good", "input": {"code": f"return '{CANARY}'"}},
            {"node_type": "python", "task_id": "bad", "input": {"code": f"raise KeyError('{CANARY}')"}},
            {"node_type": "http", "task_id": "away", "input": {"method": "GET", "url": "http://127.0.0.1:1/"}},
        ]
        lines = "".join(json.dumps(task | {"run_id": "run", "max_attempts": 1}) + "\n" for task in tasks)
        ended = subprocess.run(
            [sys.executable, "-m", "coordinator.cli", "submit", "--file", "-", "--wait", str(GUARD_SECONDS)],
            input=lines,
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": os.environ["PATH"], "COORDINATOR_ADDR": self.coordinator_address},
        )
        assert ended.returncode == 1, ended
        until(lambda: self.bridge.figure("worker_bridge_in_hand") == 0, "the bridge's hands are empty")


def _request(code: str, runtime: str = "python", **fields: Any) -> lang_pb2.ExecuteRequest:
    return lang_pb2.ExecuteRequest(runtime=runtime, inline_code=lang_pb2.InlineCode(code=code), **fields)


def _ann() -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {TOKEN}"),)


def _fails(status: grpc.StatusCode, call: Callable[[], object]) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        call()
    assert raised.value.code() is status


def _children(pid: int) -> list[psutil.Process]:
    """Below a zygote, or below the launcher of one."""
    return [
        process
        for process in psutil.Process(pid).children(recursive=True)
        if not process.children() and process.status() == psutil.STATUS_RUNNING
    ]

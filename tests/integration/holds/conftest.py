"""A real server in its own process, and what the machine shows of it from outside."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import grpc
import psutil
import pytest

from langserver.pb import lang_pb2, lang_pb2_grpc
from langserver.sandbox.probe import probe

NAMESPACES = {layer.name: layer.available for layer in probe()}["namespaces"]
GUARD_SECONDS = 60.0  # against hanging; nothing is measured with it


@dataclass
class ServerProcess:
    """`langserver serve` on a free port."""

    process: subprocess.Popen[str]
    address: str
    channel: grpc.Channel
    stub: lang_pb2_grpc.LanguageServerStub

    def execute(
        self, code: str, runtime: str = "python", input_json: str = "", timeout: int = 20, **other: object
    ) -> lang_pb2.ExecuteResponse:
        request = lang_pb2.ExecuteRequest(
            runtime=runtime,
            inline_code=lang_pb2.InlineCode(code=code),
            input_json=input_json,
            timeout_seconds=timeout,
            **other,  # type: ignore[arg-type]
        )
        return self.stub.Execute(request, timeout=timeout + GUARD_SECONDS)

    @property
    def descendants(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def zygotes(self, runtime: str) -> list[psutil.Process]:
        started = [p for p in psutil.Process(self.process.pid).children() if _is_zygote(p, runtime)]
        return [zygote for process in started for zygote in (_first_child(process) if NAMESPACES else [process])]

    @property
    def descriptors(self) -> int:
        """How many it has open; not to root it shows only the size of their table, which a leak makes grow."""
        try:
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except PermissionError:  # it is not dumpable
            with open(f"/proc/{self.process.pid}/status") as status:
                return next(int(line.split()[1]) for line in status if line.startswith("FDSize:"))


def _is_zygote(process: psutil.Process, runtime: str) -> bool:
    try:
        return "langserver.zygote.main" in process.cmdline() and runtime in process.cmdline()
    except psutil.Error:  # it ends just now
        return False


def _first_child(launcher: psutil.Process) -> list[psutil.Process]:
    """The zygote, once there is one: the first process of the launcher's namespaces."""
    try:
        return launcher.children()
    except psutil.Error:
        return []


def until(condition: Callable[[], bool], what: str) -> None:
    """Waits for a condition; fails with `what` when it does not come true."""
    deadline = time.monotonic() + GUARD_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"this did not come true: {what}"
        time.sleep(0.02)


def settled(server: ServerProcess, warm: int) -> None:
    """Only the zygotes and their waiting children are left, and nothing is a zombie."""
    count = 2 + 2 * warm + (2 if NAMESPACES else 0)  # each zygote has its launcher there
    until(lambda: len(server.descendants) == count, f"{count} processes, not {server.descendants}")
    assert [p for p in server.descendants if p.status() == psutil.STATUS_ZOMBIE] == []


SERVE = ("-m", "langserver.cli", "serve", "--listen", "127.0.0.1:0")


def start_server(command: tuple[str, ...] = SERVE, **settings: str) -> ServerProcess:
    process = subprocess.Popen(
        [sys.executable, *command],
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    match = re.fullmatch(r"langserver listening on (\S+)\n", line)
    assert match, f"the server said {line!r}"
    limit = [("grpc.max_receive_message_length", 64 << 20), ("grpc.max_send_message_length", 64 << 20)]
    channel = grpc.insecure_channel(match.group(1), options=limit)
    return ServerProcess(process, match.group(1), channel, lang_pb2_grpc.LanguageServerStub(channel))


def stop_server(server: ServerProcess) -> None:
    server.channel.close()
    if server.process.poll() is None:
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(GUARD_SECONDS)
    assert server.process.stdout is not None
    server.process.stdout.close()


@pytest.fixture
def make_server() -> Iterator[Callable[..., ServerProcess]]:
    started: list[ServerProcess] = []

    def make(**settings: str) -> ServerProcess:
        started.append(start_server(**settings))
        return started[-1]

    yield make
    for server in started:
        stop_server(server)


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server with default settings for a module's tests."""
    running = start_server()
    yield running
    stop_server(running)

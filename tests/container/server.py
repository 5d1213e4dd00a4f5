"""`langserver serve` as the first process of a hardened container, called through a socket in a mounted folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import grpc

from tests.container.engine import GUARD_SECONDS, UID, Engine, call
from tests.integration.server.harness import Client

_INSIDE = "/run/langserver"
_SOCKET = "lang.sock"


class ContainerServer:
    """A server that has said that it listens. The one folder in its container that it may write to has its socket."""

    def __init__(self, name: str, process: subprocess.Popen[str], folder: Path) -> None:
        self.name = name
        self.process = process
        self._folder = folder

    def connect(self) -> Client:
        return Client(grpc.insecure_channel(f"unix:{self._folder / _SOCKET}"))

    @property
    def pid(self) -> int:
        """The number of its first process on this host."""
        return int(call("podman", "inspect", "--format={{.State.Pid}}", self.name))

    def do(self, *command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Runs a command in its container."""
        inside = ["podman", "exec", "--interactive", self.name, *command]
        return subprocess.run(inside, input=stdin, capture_output=True, text=True, timeout=GUARD_SECONDS)

    def read(self, path: str) -> str:
        """A file in its container, which has no `cat`."""
        return self.do("python3", "-c", f"print(open({path!r}).read(), end='')").stdout

    def wait(self) -> tuple[int, str]:
        """Its exit status, and what it wrote to standard error."""
        _, errors = self.process.communicate(timeout=GUARD_SECONDS)
        return self.process.returncode, errors


@contextmanager
def serving(engine: Engine, image: str, options: Sequence[str] = ()) -> Iterator[ContainerServer]:
    """A server that must start; killed at the end if it still runs."""
    name = engine.name()
    folder = Path(tempfile.mkdtemp(prefix="lang-"))  # a short path: a socket's has at most 107 bytes (unix(7))
    os.chown(folder, UID, UID)
    listening = [f"--volume={folder}:{_INSIDE}:rw", f"--env=LANG_LISTEN_ADDR=unix:{_INSIDE}/{_SOCKET}"]
    command = engine.command(image, options=[*listening, *options], name=name)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line == f"langserver listening on unix:{_INSIDE}/{_SOCKET}\n", process.communicate(timeout=GUARD_SECONDS)
        yield ContainerServer(name, process, folder)
    finally:
        if process.poll() is None:
            call("podman", "rm", "--force", "--time=0", name)
        process.communicate(timeout=GUARD_SECONDS)
        shutil.rmtree(folder)

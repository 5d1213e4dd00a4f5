"""Whether this host gives the layer `namespaces`: tried out by a zygote that goes no further, and is thrown away."""

from __future__ import annotations

import functools
import os
import select
import signal
import sys
from typing import Final

_ROOT: Final = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Without the packages of this environment, which it does not need and which take long to find.
_SCRIPT: Final = "import sys; sys.path.insert(0, sys.argv[1]); from langserver.zygote.rehearsal import main; main()"
_SECONDS: Final = 20.0  # it takes well under a tenth of one


@functools.cache
def unavailable() -> str | None:
    """Why this host cannot give the layer, None when it can. Tried once in the life of a process."""
    reading, writing = os.pipe()
    try:
        pid = _start(writing)
    except OSError as error:
        os.close(writing)
        return f"could not be tried: {error.strerror}"
    else:
        os.close(writing)
        said = _read(reading, pid)
        os.waitpid(pid, 0)
        return None if said == "done" else said or "could not be tried"
    finally:
        os.close(reading)


def _start(output: int) -> int:
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
        command = [sys.executable, "-I", "-S", "-c", _SCRIPT, _ROOT]
        return os.posix_spawn(sys.executable, command, {}, file_actions=actions)
    finally:
        os.close(null)


def _read(reading: int, pid: int) -> str:
    watch = select.poll()
    watch.register(reading, select.POLLIN)
    said = b""
    while watch.poll(_SECONDS * 1000):
        data = os.read(reading, 4096)
        if not data:
            return said.decode("utf-8", "replace")
        said += data
    os.kill(pid, signal.SIGKILL)
    return "trying it took too long"

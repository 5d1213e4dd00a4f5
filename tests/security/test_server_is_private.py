"""Nobody of the same user looks into a server: its memory and environment hold the token, the key and every task."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import pytest

from tests.security.layers import IS_ROOT, ROOT

# Started as root, tests are somebody else here: of root's processes everything is root's anyway.
WHO: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if IS_ROOT else {}


def can_start() -> bool:
    try:
        return subprocess.run([sys.executable, "-c", "import langserver"], cwd=ROOT, check=False, **WHO).returncode == 0
    except PermissionError:
        return False


pytestmark = pytest.mark.skipif(
    IS_ROOT and not can_start(),
    reason="the user 65534 may not run this interpreter or read this copy: run it as an ordinary user",
)
SERVER = [sys.executable, "-m", "langserver", "serve", "--listen", "127.0.0.1:0"]
ORDINARY = [sys.executable, "-c", "print('ready', flush=True); input()"]

# What another process of that user gets of each number; a name stands for what was refused.
LOOK = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def attempt(act):
    try:
        return bool(act())
    except OSError as error:
        return type(error).__name__
def attach(pid):
    if libc.ptrace(0x4206, pid, None, None) == -1:  # PTRACE_SEIZE
        raise OSError(ctypes.get_errno(), "ptrace")
    return True
def read(name):
    with open(name, "rb") as file:
        return file.read(1) or True
found = {}
for pid in sys.argv[1:]:
    names = [f"/proc/{pid}/{name}" for name in ("environ", "maps", "mem", "auxv")]
    found[pid] = [attempt(lambda: open(name, "rb").close() or True) for name in names]
    found[pid].append(attempt(lambda: os.listdir(f"/proc/{pid}/fd")))
    found[pid].append(attempt(lambda: attach(int(pid))))
print(json.dumps(found))
"""


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, cwd=ROOT, **pipes, **WHO) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline()
            yield process
        finally:
            process.kill()


def look(*pids: int) -> dict[str, list[object]]:
    command = [sys.executable, "-c", LOOK, *map(str, pids)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, **WHO)
    found: dict[str, list[object]] = json.loads(done.stdout)
    return found


def test_an_ordinary_process_can_be_looked_into() -> None:
    with running(ORDINARY) as process:
        (seen,) = look(process.pid).values()
    assert seen[:5] == [True] * 5
    assert seen[5] in {True, "PermissionError"}, "Yama may forbid it to all (kernel.yama.ptrace_scope)"


def test_a_server_and_all_it_starts_cannot() -> None:
    with running(SERVER) as server:
        others = [process.pid for process in psutil.Process(server.pid).children(recursive=True)]
        seen = {pid: set(answers) for pid, answers in look(server.pid, *others).items()}
    shut = {pid for pid, answers in seen.items() if answers == {"PermissionError"}}
    assert str(server.pid) in shut
    assert len(shut) >= 3, "and its zygotes"
    # A child may have ended in between.
    assert [answers for pid, answers in seen.items() if pid not in shut and "FileNotFoundError" not in answers] == []

"""A sealed JavaScript child at work, seen from outside: each of its threads is filtered, no memory is writable code."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from langserver.core.verdict import EndReason
from langserver.limits import Ceilings
from langserver.sandbox.layers import PRIVILEGES, SECCOMP
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote
from langserver.zygote.execution import Execution
from langserver.zygote.request import TaskRequest, make_job
from tests.security.layers import AVAILABLE

CEILINGS = Ceilings()
LAYERS = frozenset(name for name, status in AVAILABLE.items() if status.available)

# An engine that compiles or starts helpers does it for a hot loop, a regular expression and a full heap.
BUSY = r"""
function hot(n) { let sum = 0; for (let i = 0; i < n; i++) sum += i % 7; return sum; }
function main() {
  for (let i = 0; i < 200; i++) hot(500);
  'a'.repeat(2000).replace(/(a+?)(?=a|$)/g, (found) => found + '-');
  for (let i = 0; i < 50; i++) new Array(10000).fill({ i });
  console.log('running');
  for (;;) {}
}
"""


class OneChild:
    """A supply of one child."""

    def __init__(self, zygote: Zygote) -> None:
        self._zygote = zygote
        self.pid = 0

    async def take(self) -> Child:
        child = await self._zygote.spawn(CEILINGS.sealed_memory_bytes, CEILINGS.sealed_cpu_seconds)
        self.pid = child.pid
        return child

    def done(self, child: Child) -> None:
        self._zygote.release(child)


@asynccontextmanager
async def busy_child(layers: frozenset[str]) -> AsyncIterator[int]:
    """The pid of a child in the middle of its task."""
    zygote = await Zygote.start("js", layers)
    try:
        supply = OneChild(zygote)
        running = asyncio.Event()
        execution = Execution(make_job(TaskRequest("js", BUSY), CEILINGS, "run"), supply, lambda line: running.set())
        ending = asyncio.ensure_future(execution.run())
        async with asyncio.timeout(30):
            await running.wait()
        try:
            yield supply.pid
        finally:
            execution.end(EndReason.CANCELLED)
            await ending
    finally:
        await zygote.close()


def thread_statuses(pid: int) -> list[dict[str, str]]:
    texts = [path.read_text() for path in sorted(Path(f"/proc/{pid}/task").glob("*/status"))]
    return [{name: value.strip() for name, _, value in map(_split, text.splitlines())} for text in texts]


def _read(path: str) -> str:
    return Path(path).read_text()


def _split(line: str) -> tuple[str, str, str]:
    return line.partition(":")


@pytest.mark.parametrize(("layers", "more"), [(LAYERS, 1), (LAYERS - {SECCOMP}, 0)], ids=["sealed", "no seccomp"])
async def test_every_thread_is_filtered(layers: frozenset[str], more: int) -> None:
    """By a filter of its own: in a container every process has that of the container already."""
    async with busy_child(layers) as pid:
        threads = thread_statuses(pid)
    assert len(threads) == 2, "Python's and V8's"
    (own,) = {thread["Seccomp_filters"] for thread in thread_statuses(os.getpid())}
    assert [thread["Seccomp_filters"] for thread in threads] == [str(int(own) + more)] * 2
    assert more == 0 or {thread["Seccomp"] for thread in threads} == {"2"}
    assert {thread["NoNewPrivs"] for thread in threads} == {"1"}
    assert {thread[name] for thread in threads for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}


async def maps(layers: frozenset[str]) -> list[tuple[str, str]]:
    """Access and name of every mapping of a child at work."""
    async with busy_child(layers) as pid:
        text = _read(f"/proc/{pid}/maps")
    rows = [line.split(None, 5) for line in text.splitlines()]
    return [(row[1], row[5] if len(row) > 5 else "") for row in rows]


async def test_no_memory_is_writable_and_executable() -> None:
    try:
        found = await maps(LAYERS)
    except PermissionError:
        # The maps of a process that is not dumpable need CAP_SYS_PTRACE (proc_pid_maps(5)); the layer that makes it so
        # maps nothing itself.
        found = await maps(LAYERS - {PRIVILEGES})
    assert any(access.startswith("r-x") and name.endswith("libmini_racer.so") for access, name in found)
    assert [(access, name) for access, name in found if "w" in access and "x" in access] == []

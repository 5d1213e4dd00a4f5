"""What a zygote and a waiting child weigh: every fork, every task and every end of a child pays for it.

No times, which depend on the machine: pages, faults and modules. Faults and private pages are the same each time,
to one in a hundred; the bounds leave a tenth or more for other kernels and libraries. Who comes to them has made every
task dearer, and should see for what.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest

from langserver.sandbox.probe import probe
from langserver.sandbox.proc import size_of
from langserver.wire.frames import Kind, encode
from langserver.zygote.child_handle import Child
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import OneZygote, one_zygote, output

MIB = 1 << 20
SEALED = encode(Kind.SEALED)
GUARD_SECONDS = 30
MODULES = """
import sys
from langserver.zygote import main
from langserver.zygote.runtime import make_runtime
make_runtime({name!r}, True, ()).preload()
print(*sys.modules)
"""
# Of no use to any task, and large.
NEVER = {"ssl", "sqlite3", "multiprocessing", "pickle", "unittest", "pydoc", "http.client", "urllib.request", "grpc"}


# Children that wait at once, and tasks of which the mean is taken.
WAITING = 8
TASKS = 20
COUNTED = sys.version_info < (3, 12)  # references to what the zygote made are (zygote/immortal.py), each a write


@dataclass(frozen=True, slots=True)
class Bound:
    """`anonymous_bytes`: the zygote's pages that each fork copies the entries of. Of a child that waits: `faults`, and
    `private_bytes`, which no other process has. `task_faults`: of zygote and child from a fork to its end.
    """

    modules: int
    anonymous_bytes: int
    faults: int
    private_bytes: int
    task_faults: int


BOUNDS = {
    "python": Bound(520, 28 * MIB, 620, 2500 << 10, 1300) if COUNTED else Bound(520, 28 * MIB, 360, 1280 << 10, 710),
    "js": Bound(210, 32 * MIB, 1420, 4700 << 10, 1720) if COUNTED else Bound(210, 32 * MIB, 1090, 3300 << 10, 1250),
}
PROGRAMS = {
    "python": "def main(inputs):\n    return inputs['n'] + 1\n",
    "js": "function main(inputs) { return inputs.n + 1 }\n",
}


@pytest.mark.parametrize("runtime", BOUNDS)
def test_few_modules_are_loaded(runtime: str) -> None:
    command = [sys.executable, "-I", "-X", "utf8", "-c", MODULES.format(name=runtime)]
    loaded = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert len(loaded) <= BOUNDS[runtime].modules
    assert not loaded & NEVER


@pytest.mark.parametrize("runtime", BOUNDS)
async def test_a_zygote_is_small_and_its_children_touch_little(runtime: str) -> None:
    bound = BOUNDS[runtime]
    async with one_zygote(runtime, frozenset(layer.name for layer in probe() if layer.available)) as supply:
        zygote = supply.zygote
        assert size_of(_of(zygote.pid, "status"), b"RssAnon") <= bound.anonymous_bytes
        children = [await zygote.spawn(128 * MIB, 30, ahead=True) for _ in range(WAITING)]
        await _until(lambda: all(_waits(child) for child in children))
        assert max(_faults(child.pid) for child in children) <= bound.faults
        if os.geteuid() == 0:  # they are not dumpable
            assert median(_private_bytes(child.pid) for child in children) <= bound.private_bytes
        for child in children:
            child.kill()
            await child.exit
            zygote.release(child)
        request = TaskRequest(runtime, PROGRAMS[runtime], '{"n": 41}')
        assert await _task_faults(supply, request) <= bound.task_faults


async def _task_faults(supply: OneZygote, request: TaskRequest) -> float:
    """Of one task, on a child that is made for it: the fork, the seal, the task, the end and the reaping."""
    assert output(await supply.run(request)) == 42
    before = _family_faults(supply.zygote.pid)
    for _ in range(TASKS):
        assert output(await supply.run(request)) == 42
    return (_family_faults(supply.zygote.pid) - before) / TASKS


def _family_faults(pid: int) -> int:
    """Of a process and of its children that it has reaped."""
    return sum(map(int, _stat(pid)[7:9]))


def _private_bytes(pid: int) -> int:
    sizes = _of(pid, "smaps_rollup")
    return size_of(sizes, b"Private_Clean") + size_of(sizes, b"Private_Dirty")


def _waits(child: Child) -> bool:
    """It is sealed, has done what it does ahead, and sleeps until its task comes."""
    try:
        said = os.read(child.report_fd, len(SEALED))
    except BlockingIOError:
        said = b""
    child.sealed = child.sealed or said == SEALED
    return child.sealed and _stat(child.pid)[0] == b"S"


def _faults(pid: int) -> int:
    return int(_stat(pid)[7])


def _stat(pid: int) -> list[bytes]:
    """The fields of proc_pid_stat(5) behind the name, from the state on."""
    return _of(pid, "stat").rpartition(b")")[2].split()


def _of(pid: int, name: str) -> bytes:
    return Path(f"/proc/{pid}/{name}").read_bytes()


async def _until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(GUARD_SECONDS):
        while not true():  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.01)

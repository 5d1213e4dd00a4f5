"""What a zygote and a waiting child weigh: every fork, every task and every end of a child pays for it.

No times, which depend on the machine: pages, faults and modules. The bounds leave a fifth or more for other versions of
CPython; who comes to them has made every task dearer, and should see for what.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from langserver.sandbox.probe import probe
from langserver.sandbox.proc import size_of
from langserver.wire.frames import Kind, encode
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote

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


@dataclass(frozen=True, slots=True)
class Bound:
    """`anonymous_bytes`: the zygote's pages that each fork copies the entries of. `faults`: of a child that waits."""

    modules: int
    anonymous_bytes: int
    faults: int


BOUNDS = {"python": Bound(520, 28 * MIB, 700), "js": Bound(210, 32 * MIB, 1600)}


@pytest.mark.parametrize("runtime", BOUNDS)
def test_few_modules_are_loaded(runtime: str) -> None:
    command = [sys.executable, "-I", "-X", "utf8", "-c", MODULES.format(name=runtime)]
    loaded = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert len(loaded) <= BOUNDS[runtime].modules
    assert not loaded & NEVER


@pytest.mark.parametrize("runtime", BOUNDS)
async def test_a_zygote_is_small_and_a_waiting_child_has_touched_little(runtime: str) -> None:
    zygote = await Zygote.start(runtime, frozenset(layer.name for layer in probe() if layer.available))
    try:
        assert size_of(_of(zygote.pid, "status"), b"RssAnon") <= BOUNDS[runtime].anonymous_bytes
        child = await zygote.spawn(128 * MIB, 30, ahead=True)
        try:
            await _until(lambda: _waits(child))
            assert _faults(child.pid) <= BOUNDS[runtime].faults
        finally:
            child.kill()
            await child.exit
            zygote.release(child)
    finally:
        await zygote.close()


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

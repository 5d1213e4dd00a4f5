"""A server whose Python children are the attacker's, and what is seen of it from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.integration.holds.conftest import NAMESPACES, ServerProcess, start_server, stop_server, until

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("server.py")
WARM = 2


@pytest.fixture(scope="module")
def make_hostile_server() -> Iterator[Callable[..., ServerProcess]]:
    started: list[ServerProcess] = []

    def make(off: str, script: Path = SCRIPT, **settings: str) -> ServerProcess:
        settings = {"LANG_WARM_CHILDREN": str(WARM), "LANG_MAX_QUEUE": "100", **settings}
        started.append(start_server((str(script), str(ROOT), off), **settings))
        return started[-1]

    yield make
    for server in started:
        stop_server(server)


def settled(server: ServerProcess, launchers: int = 2, runtimes: int = 2) -> None:
    """All that tasks left has gone: only zygotes, their launchers and waiting children, none of them a zombie."""
    count = runtimes * (1 + WARM) + (launchers if NAMESPACES else 0)
    until(lambda: at_rest(server, count), f"{count} processes are left")


def at_rest(server: ServerProcess, count: int) -> bool:
    """So many processes below it, none of them a zombie."""
    left = server.descendants
    return len(left) == count and all(is_whole(process) for process in left)


def is_whole(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def started(server: ServerProcess, runtime: str) -> set[int]:
    """The pids of what the server has started for a runtime, zygotes or their launchers."""
    return {each.pid for each in psutil.Process(server.process.pid).children() if runtime in _command(each)}


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:  # it ends just now
        return []


def memory(server: ServerProcess) -> int:
    """Of the server alone, in bytes."""
    return int(psutil.Process(server.process.pid).memory_info().rss)

"""What a child holds while user code runs: /dev/null three times, and the one pipe by which it tells of its task."""

from __future__ import annotations

import asyncio
import os
import stat

import pytest

from langserver.core.verdict import EndReason
from langserver.sandbox.layers import PRIVILEGES, RLIMITS
from langserver.zygote.execution import Execution
from langserver.zygote.request import TaskRequest, make_job
from tests.integration.holds.direct import CEILINGS, one_zygote, output
from tests.security.layers import AVAILABLE

LAYERS = frozenset(name for name, status in AVAILABLE.items() if status.available)

# Native code; without seccomp, which would refuse it a look.
HELD = """
import fcntl, os
def main():
    found = {}
    for number in range(1024):
        try: about = os.fstat(number)
        except OSError: continue
        found[number] = [about.st_mode, about.st_rdev, fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE]
    return found
"""


async def test_a_python_child_holds_its_report_and_nothing_else() -> None:
    async with one_zygote("python", frozenset({PRIVILEGES, RLIMITS})) as supply:
        found = output(await supply.run(TaskRequest("python", HELD)))
    assert isinstance(found, dict)
    assert found.keys() == {"0", "1", "2", "3"}, "the end by which its task came is closed"
    null = os.stat(os.devnull)
    assert all(found[number][:2] == [null.st_mode, null.st_rdev] for number in "012")
    mode, _, access = found["3"]
    assert stat.S_ISFIFO(mode)
    assert access == os.O_WRONLY


async def test_a_javascript_child_has_no_socket_and_nothing_to_wait_with() -> None:
    """No event loop of the engine's package is in it: that one would bring a socket pair and an epoll."""
    async with one_zygote("js", LAYERS) as supply:
        working = asyncio.Event()
        job = make_job(TaskRequest("js", "console.log('at work'); for (;;) {}"), CEILINGS, "run")
        execution = Execution(job, supply, lambda line: working.set())
        running = asyncio.ensure_future(execution.run())
        async with asyncio.timeout(30):
            await working.wait()
        try:
            assert supply.child is not None
            links = links_of(supply.child.pid)
        except PermissionError:
            pytest.skip("only root may look at the descriptors of a process that is not dumpable")
        finally:
            execution.end(EndReason.CANCELLED)
            await running
    assert links.pop("3").startswith("pipe:")
    assert links == dict.fromkeys("012", os.devnull)


def links_of(pid: int) -> dict[str, str]:
    return {name: os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")}

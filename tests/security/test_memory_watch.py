"""The watch ends what came around its limit, and nobody else."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from langserver.core.outcome import ErrorKind
from langserver.core.verdict import MIB, SLACK_BYTES, EndReason
from langserver.limits import Asked, Ceilings
from langserver.sandbox.layers import CGROUP, RLIMITS
from langserver.zygote import pidfd
from langserver.zygote.client import Zygote
from langserver.zygote.execution import Execution
from langserver.zygote.job import Job, LogLine, Outcome
from langserver.zygote.request import TaskRequest, make_job
from langserver.zygote.watch import Watch
from tests.sandbox.started import a_zygote
from tests.security.layers import AVAILABLE, ROOT

LIMIT = 64 * MIB
GUARD_SECONDS = 60
LAST_PID = Path("/proc/sys/kernel/ns_last_pid")
# Where there are control groups they would be faster.
LAYERS = frozenset(name for name, status in AVAILABLE.items() if status.available) - {CGROUP}


class Process:
    """A process that is not ours to reap, by its pidfd."""

    def __init__(self, pid: int) -> None:
        self.pidfd = os.pidfd_open(pid)

    def open_status(self) -> int:
        return pidfd.open_status(self.pidfd)


@contextmanager
def hoarder(runtime: str, layers: str, way: str) -> Iterator[tuple[int, int, subprocess.Popen[str]]]:
    """A child that hoards: its pid, and what an idle one holds."""
    script = ROOT / "tests" / "sandbox" / "hoarder.py"
    command = [sys.executable, "-I", str(script), str(ROOT), runtime, layers, way]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid, idle = map(int, process.stdout.readline().split())
        yield pid, idle, process
        assert process.stdin is not None
        process.stdin.close()


async def test_page_tables_of_a_v8_child_which_no_limit_counts() -> None:
    with hoarder("js", "rlimits,seccomp", "scatter") as (pid, idle, process):
        child, watch, seen = Process(pid), Watch(idle), asyncio.get_running_loop().create_future()

        def end(growth: int) -> None:
            pidfd.kill(child.pidfd)
            seen.set_result(growth)

        watch.begin(child, LIMIT, end)
        async with asyncio.timeout(GUARD_SECONDS):
            growth = await seen
        assert growth > LIMIT + SLACK_BYTES
        assert process.stdout is not None
        # It was killed while it took more, or after it had taken all: either way it is gone.
        process.stdout.readline()
        os.close(child.pidfd)


async def test_without_the_watch_they_are_taken() -> None:
    with hoarder("js", "rlimits,seccomp", "scatter") as (_, _, process):
        assert process.stdout is not None
        assert int(process.stdout.readline()) > (LIMIT + SLACK_BYTES) // MIB


class Supply:
    """Cold children of one zygote; `child` is the last one."""

    def __init__(self, zygote: Zygote, memory_bytes: int) -> None:
        self.zygote = zygote
        self.memory_bytes = memory_bytes

    async def take(self, makes_way=False):
        self.child = await self.zygote.spawn(self.memory_bytes, 0)
        return self.child

    def done(self, child) -> None:
        self.zygote.release(child)


def job(code: str, runtime: str = "python", limit: int = LIMIT) -> Job:
    made = make_job(
        TaskRequest(runtime, code, asked=Asked(timeout_seconds=GUARD_SECONDS)), Ceilings(memory_mb=limit // MIB), "run"
    )
    return replace(made, lower_memory_bytes=0)


async def run(supply: Supply, task: Job) -> Outcome:
    return await Execution(task, supply, lambda _: None).run()


# What is over 96 MiB stays long enough to be seen, and not for ever should nobody look.
ORDINARY = """
import time
def main():
    keep = [b'x' * 1_000_000 for _ in range(200)]
    time.sleep(50)
    return len(keep)
"""
SCATTER = """
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.mmap.argtypes = None
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
def main():
    for number in range(15_000):
        address = libc.mmap((0x100 + number % 0x7000) << 30, 4096, 3, 0x32, -1, 0)
        ctypes.c_char.from_address(address).value = b'x'
        libc.madvise(address, 4096, 4)
    time.sleep(50)
    return number
"""
SIBLING = """
import time
def main():
    keep = [b'x' * 1_000_000 for _ in range(40)]
    while True:
        time.sleep(0.05)
        print(len(keep))
"""


async def test_without_rlimits_it_ends_a_hoarder_and_not_a_sibling() -> None:
    async with a_zygote("python", LAYERS - {RLIMITS}) as zygote:
        alive = asyncio.Event()
        supply = Supply(zygote, 0)
        sibling = Execution(job(SIBLING), supply, lambda _: alive.set())
        living = asyncio.ensure_future(sibling.run())
        await alive.wait()
        outcome = await run(Supply(zygote, 0), job(ORDINARY))
        assert outcome.verdict.failure is not None
        assert outcome.verdict.failure.kind is ErrorKind.MEMORY_LIMIT
        assert outcome.verdict.failure.message == "the task needed more memory than its limit of 64 MiB"
        [event] = outcome.events
        assert (event.layer, event.action) == ("watch", "killed")
        assert outcome.usage.peak_memory_bytes > LIMIT + SLACK_BYTES
        alive.clear()
        await alive.wait()
        sibling.end(EndReason.CANCELLED)
        assert (await living).events == ()


async def test_page_tables_that_the_peak_does_not_show() -> None:
    async with a_zygote("python", frozenset({"privileges", RLIMITS})) as zygote:
        outcome = await run(Supply(zygote, LIMIT), job(SCATTER))
    assert outcome.verdict.failure is not None
    assert outcome.verdict.failure.kind is ErrorKind.MEMORY_LIMIT
    assert [(event.layer, event.action) for event in outcome.events] == [("watch", "killed")]
    assert outcome.usage.peak_memory_bytes > LIMIT + SLACK_BYTES


async def test_where_no_limit_is_claimed_nobody_is_watched() -> None:
    code = ORDINARY.replace("time.sleep(50)", "time.sleep(0.5)")
    async with a_zygote("python", LAYERS - {RLIMITS}) as zygote:
        task = job(code)
        outcome = await run(Supply(zygote, 0), replace(task, bounds=replace(task.bounds, memory_bytes=None)))
    assert outcome.verdict.report is not None
    assert outcome.verdict.report.output == b"200"


PYTHON = "k = []\nfor i in range({count}): k.append({piece})\nprint()\nwhile True: pass"
JS = "const k = []; for (let i = 0; i < {count}; i++) k.push({piece}); console.log(1); for (;;);"
NEARLY_FULL = {
    "python bytes": ("python", PYTHON.format(count=112, piece="b'x' * (1 << 20)")),
    "python objects": ("python", PYTHON.format(count=1_200_000, piece="[None]")),
    "js buffers": ("js", JS.format(count=112, piece="new Uint8Array(1 << 20).fill(1)")),
    "js arrays": ("js", JS.format(count=90, piece="new Array(1 << 17).fill(.5)")),
    "js objects": ("js", JS.format(count=1_150_000, piece="{ a: [i] }")),
}


@pytest.mark.parametrize("name", NEARLY_FULL)
async def test_a_task_that_uses_what_it_may_is_let_be(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked at many times while it holds nearly all of its limit."""
    runtime, code = NEARLY_FULL[name]
    full, enough = asyncio.Event(), asyncio.Event()
    seen: list[int] = []
    look_at = Watch._look_at

    def look(watch: Watch, child) -> None:
        look_at(watch, child)
        if full.is_set():
            seen.append(1)
            if len(seen) == 5:
                enough.set()

    monkeypatch.setattr(Watch, "_look_at", look)
    async with a_zygote(runtime, LAYERS) as zygote:
        supply = Supply(zygote, 128 * MIB)

        def on_log(_: LogLine) -> None:
            full.set()

        execution = Execution(job(code, runtime, 128 * MIB), supply, on_log)
        running = asyncio.ensure_future(execution.run())
        waiting = asyncio.ensure_future(enough.wait())
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
        execution.end(EndReason.CANCELLED)
        outcome = await running
    assert outcome.verdict.failure is not None
    assert outcome.verdict.failure.kind is ErrorKind.CANCELLED, outcome.verdict.failure
    assert outcome.usage.peak_memory_bytes > 90 * MIB  # it was near its limit indeed


def ended() -> Process:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        return Process(process.pid)


async def test_a_child_that_is_gone_is_not_looked_at() -> None:
    child = ended()
    with pytest.raises(ProcessLookupError):
        child.open_status()
    watch = Watch(0)
    watch.begin(child, -SLACK_BYTES, lambda growth: pytest.fail(f"it holds {growth}"))
    assert not watch.blind
    watch.end(child)
    os.close(child.pidfd)


@pytest.mark.skipif(not os.access(LAST_PID, os.W_OK), reason=f"{LAST_PID} cannot be written: no number can be chosen")
def test_whoever_got_the_number_of_a_dead_child_is_not_taken_for_it() -> None:
    for _ in range(20):  # another process of this machine may take the number first
        dead = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        child = Process(dead.pid)
        status = child.open_status()
        assert os.pread(status, 100, 0)
        dead.kill()
        dead.communicate()
        try:
            LAST_PID.write_text(str(dead.pid - 1))
        except OSError:
            pytest.skip("no number can be chosen here, without CAP_CHECKPOINT_RESTORE")
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as heir:
            with pytest.raises(ProcessLookupError):
                child.open_status()
            with pytest.raises(ProcessLookupError):
                os.pread(status, 100, 0)
            same = heir.pid == dead.pid
            heir.kill()
        os.close(status)
        os.close(child.pidfd)
        if same:
            return
    pytest.fail("the number was never used again")


async def test_one_timer_and_no_descriptor_stay_behind() -> None:
    before = set(os.listdir("/proc/self/fd"))
    watch = Watch(0)
    children = [Process(os.getpid()) for _ in range(3)]
    for child in children:
        watch.begin(child, 1 << 40, lambda _: pytest.fail("nobody is over"))
    timer = watch._timer
    assert timer is not None
    for child in children:
        watch._look_at(child)
        watch.end(child)
        watch.end(child)
        os.close(child.pidfd)
    assert timer.cancelled()
    assert set(os.listdir("/proc/self/fd")) == before


HIDDEN = "mount -t proc -o hidepid=invisible,gid=4242 proc /proc && exec setpriv --bounding-set=-sys_ptrace {command}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a /proc that hides processes")
def test_where_proc_hides_children_doctor_says_so(tmp_path: Path) -> None:
    command = HIDDEN.format(command=f"{sys.executable} -m langserver doctor")
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", command], capture_output=True, text=True, cwd=ROOT, timeout=GUARD_SECONDS
    )
    if done.stderr.startswith(("mount:", "unshare:")):
        pytest.skip(f"no /proc of its own can be mounted here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("the memory of children can't be watched") == 2
    assert done.stderr.count("can't be watched") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a /proc that hides processes")
def test_where_proc_hides_children_and_no_namespace_shows_them_nothing_starts(tmp_path: Path) -> None:
    program = tmp_path / "task.py"
    program.write_text("result = 1\n")
    command = HIDDEN.format(command=f"{sys.executable} -m langserver run --layers privileges,rlimits {program}")
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", command], capture_output=True, text=True, cwd=ROOT, timeout=GUARD_SECONDS
    )
    if done.stderr.startswith(("mount:", "unshare:")):
        pytest.skip(f"no /proc of its own can be mounted here: {done.stderr.strip()}")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "mount it without hidepid, or allow user namespaces" in done.stderr


class Hidden:
    """What /proc does not show."""

    def open_status(self) -> int:
        raise PermissionError


async def test_blind_it_stops_looking_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        watch = Watch(0)
        for _ in range(2):
            watch.begin(Hidden(), 0, lambda _: pytest.fail("it sees nothing"))
        assert "/proc hides them" in watch.blind
        assert watch._timer is None
    assert caplog.text.count("/proc hides them") <= 1  # once in the life of a process


async def test_no_free_descriptor_makes_it_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, told = Watch(0), asyncio.Event()
    child = Process(os.getpid())
    real, tries = child.open_status, []

    def fail_first() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise OSError(errno.EMFILE, "Too many open files")
        return real()

    monkeypatch.setattr(child, "open_status", fail_first)
    watch.begin(child, -SLACK_BYTES, lambda _: told.set())  # whatever it holds is too much
    async with asyncio.timeout(GUARD_SECONDS):
        await told.wait()
    assert not watch.blind
    os.close(child.pidfd)

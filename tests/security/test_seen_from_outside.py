"""Children of real zygotes, sealed and waiting or at work, as the kernel shows them to somebody else.

Every layer of this host is on. What only a tracer may read of a process that is not dumpable is read as root.
"""

from __future__ import annotations

import asyncio
import os
import signal
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from langserver.core.verdict import CODE_BYTES, EndReason
from langserver.limits import Ceilings
from langserver.sandbox.layers import NAMESPACES, PRIVILEGES, SECCOMP, format_layers
from langserver.wire.frames import Kind, encode
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote
from langserver.zygote.execution import Execution
from langserver.zygote.request import TaskRequest, make_job
from tests.security.layers import AVAILABLE, HAS_NAMESPACES, IS_ROOT

LAYERS = frozenset(name for name, status in AVAILABLE.items() if status.available)
CEILINGS = Ceilings()
MEMORY, CPU_SECONDS = 200 << 20, 17
GUARD_SECONDS = 60

# An engine that compiles or starts helpers does it for a hot loop, a regular expression and a full heap.
BUSY = {
    "js": r"""
function hot(n) { let sum = 0; for (let i = 0; i < n; i++) sum += i % 7; return sum; }
function main() {
  for (let i = 0; i < 200; i++) hot(500);
  'a'.repeat(2000).replace(/(a+?)(?=a|$)/g, (found) => found + '-');
  for (let i = 0; i < 50; i++) new Array(10000).fill({ i });
  console.log('running');
  for (;;) {}
}
""",
    "python": """
import re, hashlib, decimal
def main():
    re.sub("(a+?)(?=a|$)", "-", "a" * 2000)
    hashlib.sha256(b"x").hexdigest()
    kept = [bytearray(1 << 20) for _ in range(20)]
    print("running")
    while True: pass
""",
}


class OneChild:
    """A supply of one child."""

    def __init__(self, zygote: Zygote) -> None:
        self._zygote = zygote
        self.pid = 0

    async def take(self, makes_way: bool = False) -> Child:
        child = await self._zygote.spawn(MEMORY, CPU_SECONDS)
        self.pid = child.pid
        return child

    def done(self, child: Child) -> None:
        self._zygote.release(child)


@asynccontextmanager
async def waiting(zygote: Zygote) -> AsyncIterator[int]:
    """The pid of a child that is sealed and has been told nothing."""
    child = await zygote.spawn(MEMORY, CPU_SECONDS)
    readable = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(child.report_fd, readable.set)
    async with asyncio.timeout(GUARD_SECONDS):
        await readable.wait()
    loop.remove_reader(child.report_fd)
    assert os.read(child.report_fd, 64) == encode(Kind.SEALED)
    try:
        yield child.pid
    finally:
        child.kill()
        await child.exit
        zygote.release(child)


@asynccontextmanager
async def running(zygote: Zygote) -> AsyncIterator[int]:
    """The pid of a child in the middle of its task."""
    supply, started = OneChild(zygote), asyncio.Event()
    job = make_job(TaskRequest(zygote.runtime, BUSY[zygote.runtime]), CEILINGS, "run")
    execution = Execution(job, supply, lambda line: started.set())
    ending = asyncio.ensure_future(execution.run())
    async with asyncio.timeout(GUARD_SECONDS):
        await started.wait()
    try:
        yield supply.pid
    finally:
        execution.end(EndReason.CANCELLED)
        await ending


@dataclass(frozen=True, slots=True)
class Seen:
    """What /proc shows of one child. The fields from `files` on are None where only a tracer may look."""

    runtime: str
    phase: str
    pid: int
    threads: list[dict[str, str]]
    limits: dict[str, tuple[str, str]]
    session: int
    group: int
    parent: int
    zygote: int
    oom_score: int
    files: dict[int, tuple[int, int]] | None = None  # number: device or 0, flags of open(2)
    pipes: tuple[str, ...] | None = None
    environment: bytes | None = None
    command: list[str] | None = None
    root: list[str] | None = None
    is_read_only: bool | None = None
    is_at_root: bool | None = None
    mappings: list[tuple[str, str, int]] | None = None  # rights, name, KiB


def fields(text: str) -> dict[str, str]:
    return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}


def own_filters() -> int:
    return int(fields(Path("/proc/self/status").read_text())["Seccomp_filters"])


def look(zygote: Zygote, phase: str, pid: int, full: bool) -> Seen:
    proc = Path(f"/proc/{pid}")
    lines = (proc / "limits").read_text().splitlines()[1:]
    told = Seen(
        zygote.runtime,
        phase,
        pid,
        threads=[fields(path.read_text()) for path in sorted((proc / "task").glob("*/status"))],
        limits={line[:26].strip(): (line[26:47].strip(), line[47:68].strip()) for line in lines},
        session=os.getsid(pid),
        group=os.getpgid(pid),
        parent=int(fields((proc / "status").read_text())["PPid"]),
        zygote=zygote.pid,
        oom_score=int((proc / "oom_score_adj").read_text()),
    )
    if not full:
        return told
    numbers = sorted(int(path.name) for path in (proc / "fd").iterdir())
    rows = [line.split(None, 5) for line in (proc / "maps").read_text().splitlines()]
    return Seen(
        *(getattr(told, name) for name in Seen.__slots__[:10]),
        files={number: open_file(proc, number) for number in numbers},
        pipes=tuple(os.readlink(proc / "fd" / str(number)).partition(":")[0] for number in numbers if number > 2),
        environment=(proc / "environ").read_bytes(),
        command=(proc / "cmdline").read_text().rstrip("\0").split("\0"),
        root=sorted(os.listdir(proc / "root")),
        is_read_only=bool(os.statvfs(proc / "root").f_flag & os.ST_RDONLY),
        is_at_root=os.path.samestat(os.stat(proc / "cwd"), os.stat(proc / "root")),
        mappings=[(row[1], row[5] if len(row) > 5 else "", kib(row[0])) for row in rows],
    )


def open_file(proc: Path, number: int) -> tuple[int, int]:
    found = os.stat(proc / "fd" / str(number))
    flags = int(fields((proc / "fdinfo" / str(number)).read_text())["flags"], 8)
    return found.st_rdev if stat.S_ISCHR(found.st_mode) else 0, flags


def kib(addresses: str) -> int:
    start, end = (int(part, 16) for part in addresses.split("-"))
    return (end - start) >> 10


def may_trace() -> bool:
    """Whether this process may read all of one that is not dumpable (ptrace(2), access mode checking)."""
    with open("/proc/self/status") as status:
        return bool(int(fields(status.read())["CapEff"], 16) >> 19 & 1)  # CAP_SYS_PTRACE


TRACER = may_trace()
full = pytest.mark.skipif(not TRACER, reason="the files of a process that is not dumpable need CAP_SYS_PTRACE")


async def see(runtime: str, layers: frozenset[str], full: bool, jit: bool = False) -> list[Seen]:
    zygote = await Zygote.start(runtime, layers, jit=jit)
    try:
        found = []
        for phase in (waiting, running):
            async with phase(zygote) as pid:
                found.append(look(zygote, phase.__name__, pid, full))
        return found
    finally:
        await zygote.close()


@pytest.fixture(scope="module")
def everything() -> dict[tuple[str, str], Seen]:
    async def of_both() -> list[Seen]:
        return [one for runtime in ("python", "js") for one in await see(runtime, LAYERS, TRACER)]

    return {(one.runtime, one.phase): one for one in asyncio.run(of_both())}


@pytest.fixture(params=[(runtime, phase) for runtime in ("python", "js") for phase in ("waiting", "running")], ids=str)
def seen(request: pytest.FixtureRequest, everything: dict[tuple[str, str], Seen]) -> Seen:
    return everything[request.param]


def test_every_thread_is_filtered_and_may_not_gain_privileges(seen: Seen) -> None:
    assert len(seen.threads) == (2 if seen.runtime == "js" else 1), "V8's, and Python's"
    for thread in seen.threads:
        assert thread["Seccomp"] == "2"
        assert int(thread["Seccomp_filters"]) == own_filters() + 1, "in a container every process has its filter"
        assert thread["NoNewPrivs"] == "1"


async def test_a_child_without_the_filter_looks_otherwise() -> None:
    for one in await see("js", LAYERS - {SECCOMP}, full=False):
        assert [int(thread["Seccomp_filters"]) for thread in one.threads] == [own_filters()] * 2


def test_no_thread_has_a_capability_in_any_set(seen: Seen) -> None:
    sets = ["CapInh", "CapPrm", "CapEff", "CapAmb", *(["CapBnd"] if IS_ROOT else [])]
    assert {thread[name] for thread in seen.threads for name in sets} == {"0" * 16}


def test_no_thread_is_root_nor_of_a_group(seen: Seen) -> None:
    user, group = (65532, 65532) if IS_ROOT else (os.geteuid(), os.getegid())
    for thread in seen.threads:
        assert set(thread["Uid"].split()) == {str(user)}
        assert set(thread["Gid"].split()) == {str(group)}
        if IS_ROOT:
            assert thread["Groups"] == ""


def test_nobody_traces_it(seen: Seen) -> None:
    assert {thread["TracerPid"] for thread in seen.threads} == {"0"}


def test_signals_are_as_the_kernel_has_them(seen: Seen) -> None:
    # glibc's own, 32 and 33: a posix_spawn leaves both ignored, and the first thread of a process catches the second.
    own = 1 << 31 | 1 << 32
    for thread in seen.threads:
        assert int(thread["SigBlk"], 16) == 0
        assert int(thread["SigIgn"], 16) & ~own == 1 << signal.SIGXFSZ - 1
        # By SIGXCPU a Python task learns that its time is up (decision 0034).
        assert int(thread["SigCgt"], 16) & ~own == (1 << signal.SIGXCPU - 1 if seen.runtime == "python" else 0)


def test_limits(seen: Seen) -> None:
    assert seen.limits["Max cpu time"] == (str(CPU_SECONDS), str(CPU_SECONDS + 1))
    assert seen.limits["Max stack size"] == ("0", "0"), "what it has is whole already"
    zero = ("core file size", "file size", "locked memory", "msgqueue size", "processes", "open files")
    zero += ("nice priority", "realtime priority")
    assert {seen.limits[f"Max {name}"] for name in zero} == {("0", "0")}
    bounded, free = ("Max data size", "Max address space")[:: 1 if seen.runtime == "js" else -1]
    soft, hard = seen.limits[bounded]
    assert soft == hard
    field = "VmData" if seen.runtime == "js" else "VmSize"
    if seen.phase == "waiting":  # what an idle child has, and the growth that it may have
        assert abs(int(soft) - MEMORY - (int(seen.threads[0][field].split()[0]) << 10)) < 1 << 20
    assert seen.limits[free][0] == "unlimited", (
        "lowering AS would switch DATA off; DATA bounds nothing that AS does not"
    )


def test_session_and_group_are_its_own_and_its_parent_is_the_zygote(seen: Seen) -> None:
    assert (seen.session, seen.group, seen.parent) == (seen.pid, seen.pid, seen.zygote)
    assert seen.threads[0]["Umask"] == "0077"


def test_it_is_the_first_to_die(seen: Seen) -> None:
    assert seen.oom_score == 1000


@full
def test_descriptors(seen: Seen) -> None:
    assert seen.files is not None
    null = os.stat("/dev/null").st_rdev
    assert [seen.files[number][0] for number in range(3)] == [null] * 3
    ends = {number: flags & (os.O_ACCMODE | os.O_CLOEXEC) for number, (_, flags) in seen.files.items() if number > 2}
    report, task = {3: os.O_WRONLY | os.O_CLOEXEC}, {4: os.O_RDONLY | os.O_CLOEXEC}
    assert ends == (report | task if seen.phase == "waiting" else report)
    assert set(seen.pipes or ()) == {"pipe"}


@pytest.mark.parametrize("runtime", ["python", "js"])
async def test_no_memory_is_writable_and_executable(runtime: str, everything: dict[tuple[str, str], Seen]) -> None:
    # The layer that makes a process not dumpable, and so hides its mappings, maps nothing itself.
    children = [one for one in everything.values() if one.runtime == runtime] if TRACER else []
    for one in children or await see(runtime, LAYERS - {PRIVILEGES}, full=True):
        check_mappings(one)


def check_mappings(seen: Seen) -> None:
    assert seen.mappings is not None
    executable = [(rights, name, size) for rights, name, size in seen.mappings if "x" in rights]
    assert any(name.endswith("libmini_racer.so") for _, name, _ in executable) is (seen.runtime == "js")
    assert [found for found in executable if "w" in found[0]] == []
    # Of no file, and not the kernel's: the page that libffi wrote the engine's callback into, before the seal.
    unnamed = [(rights, size) for rights, name, size in executable if not name]
    assert unnamed == ([("r-xp", 4)] if seen.runtime == "js" else [])


async def test_where_javascript_is_compiled_its_code_is_all_that_is_writable_and_executable() -> None:
    for one in await see("js", LAYERS if TRACER else LAYERS - {PRIVILEGES}, full=True, jit=True):
        assert one.mappings is not None
        executable = [(rights, size) for rights, name, size in one.mappings if "x" in rights and not name]
        code = ("rwxp", CODE_BYTES >> 10)
        assert sorted(executable) == [("r-xp", 4), code]
        # What V8 reserved beyond: a hole would be filled with memory that V8 takes for its own.
        behind = one.mappings[[(rights, size) for rights, _, size in one.mappings].index(code) + 1]
        assert behind[0] == "---p"
        assert behind[2] >= CODE_BYTES >> 10
        soft, hard = one.limits["Max data size"]
        assert soft == hard
        if one.phase == "waiting":
            assert abs(int(soft) - MEMORY - (int(one.threads[0]["VmData"].split()[0]) << 10)) < 1 << 20
        assert [thread["Seccomp"] for thread in one.threads] == ["2", "2"]


@full
def test_nothing_of_an_environment(seen: Seen) -> None:
    assert seen.environment == b""
    assert seen.command is not None
    assert seen.command[1:6] == ["-I", "-X", "utf8", "-m", "langserver.zygote.main"]
    assert seen.command[6] == seen.runtime
    assert seen.command[8:] == [format_layers(LAYERS)]


@full
def test_it_is_at_a_root(seen: Seen) -> None:
    assert seen.is_at_root
    if HAS_NAMESPACES:
        assert NAMESPACES in LAYERS
        assert (seen.root, seen.is_read_only) == (["dev"], True)

"""Control groups bound what a child makes the kernel hold, however it does: by its limit and 32 MiB.

They need a group of cgroup v2 with the memory controller that was delegated to this process alone:
`systemd-run --pipe -p Delegate="memory pids" -p WorkingDirectory=$PWD .venv/bin/python -m pytest tests/security`.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from langserver.core.outcome import ErrorKind
from langserver.core.verdict import MIB, SLACK_BYTES, EndReason
from langserver.limits import Asked, Ceilings
from langserver.pb import lang_pb2, lang_pb2_grpc
from langserver.sandbox import cgroup
from langserver.sandbox.layers import CGROUP
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote
from langserver.zygote.execution import Execution
from langserver.zygote.job import Outcome
from langserver.zygote.request import TaskRequest, make_job
from tests.sandbox.started import a_zygote
from tests.security.layers import AVAILABLE, ROOT

LIMIT = 64 * MIB
MOST = LIMIT + SLACK_BYTES
GUARD_SECONDS = 110
LAYERS = frozenset(name for name, status in AVAILABLE.items() if status.available)
HERE = AVAILABLE[CGROUP].available
NUMBERS = itertools.count()
needs_groups = pytest.mark.skipif(not HERE, reason=f"control groups are not to be had here: {AVAILABLE[CGROUP].detail}")


@pytest.mark.skipif(HERE, reason="there are control groups here")
def test_a_server_that_must_have_them_does_not_start_without() -> None:
    environment = {**os.environ, "LANG_REQUIRED_LAYERS": "policy,cgroup", "LANG_LISTEN_ADDR": "127.0.0.1:0"}
    command = [sys.executable, "-m", "langserver", "serve"]
    refused = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert refused.returncode == 3
    assert (
        f"the layer cgroup is required (LANG_REQUIRED_LAYERS), but can't be had here: {AVAILABLE[CGROUP].detail}"
        in (refused.stderr)
    )


class Supply:
    """Cold children of one zygote; notes what their groups were when they had ended."""

    def __init__(self, zygote: Zygote) -> None:
        self.zygote = zygote
        self.most = ""
        self.folder = Path()

    async def take(self, makes_way: bool = False) -> Child:
        child = await self.zygote.spawn(LIMIT, 0)
        assert child.group is not None
        self.folder = Path(child.group._folder)
        return child

    def done(self, child: Child) -> None:
        self.most = (self.folder / "memory.max").read_text().strip()
        self.zygote.release(child)


async def run(supply: Supply, code: str, runtime: str = "python", memory_mb: int = 0) -> Outcome:
    asked = Asked(timeout_seconds=GUARD_SECONDS, memory_mb=memory_mb)
    job = make_job(TaskRequest(runtime, code, asked=asked), Ceilings(memory_mb=LIMIT // MIB), "run")
    return await Execution(job, supply, lambda _: None).run()


NATIVE = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
def main():
    {body}
    return 'taken'
"""
TAKERS = {
    "bytes": "keep = [b'x' * 1_000_000 for _ in range(200)]",
    "shared pages": "a = libc.mmap(None, 200 << 20, 3, 0x21, -1, 0); ctypes.memset(a, 1, 200 << 20)",
    "pages that could grow down": "a = libc.mmap(None, 200 << 20, 3, 0x122, -1, 0); ctypes.memset(a, 1, 200 << 20)",
    "a file in memory": "f = os.memfd_create('x')\n    for _ in range(200): os.write(f, b'x' * (1 << 20))",
    "page tables": """for n in range(28_000):
        a = libc.mmap((0x100 + n) << 30, 4096, 3, 0x32, -1, 0)
        ctypes.c_char.from_address(a).value = b'x'
        libc.madvise(a, 4096, 4)""",
}


@needs_groups
@pytest.mark.parametrize("name", TAKERS)
async def test_alone_it_bounds_what_native_code_can_take(name: str) -> None:
    """No other layer: nothing in the process limits it. The one beside it does not notice."""
    async with a_zygote("python", frozenset({CGROUP})) as zygote:
        alive = asyncio.Event()
        sibling = Execution(
            make_job(TaskRequest("python", SIBLING, asked=Asked(timeout_seconds=GUARD_SECONDS)), Ceilings(), "run"),
            Supply(zygote),
            lambda _: alive.set(),
        )
        living = asyncio.ensure_future(sibling.run())
        await alive.wait()
        zygote.watch.begin = lambda *_: None  # type: ignore[method-assign]  # which might be faster
        supply = Supply(zygote)
        outcome = await run(supply, NATIVE.format(body=TAKERS[name]))
        assert outcome.verdict.failure is not None, outcome.verdict
        assert outcome.verdict.failure.kind is ErrorKind.MEMORY_LIMIT
        assert [(event.layer, event.action) for event in outcome.events] == [("cgroup", "killed")]
        assert outcome.usage.peak_memory_bytes <= MOST
        assert not supply.folder.exists()
        alive.clear()
        await alive.wait()
        sibling.end(EndReason.CANCELLED)
        await living


SIBLING = "import time\nwhile True:\n    time.sleep(.05)\n    print()"


@needs_groups
@pytest.mark.parametrize("name", TAKERS)
async def test_without_it_they_are_taken(name: str) -> None:
    async with a_zygote("python", frozenset()) as zygote:
        made = make_job(TaskRequest("python", NATIVE.format(body=TAKERS[name])), Ceilings(), "run")

        class Unbounded:
            async def take(self, makes_way: bool = False) -> Child:
                return await zygote.spawn(0, 0)

            def done(self, child: Child) -> None:
                zygote.release(child)

        job = replace(made, bounds=replace(made.bounds, memory_bytes=None, timeout_seconds=GUARD_SECONDS))
        outcome = await Execution(job, Unbounded(), lambda _: None).run()
    assert outcome.verdict.report is not None
    assert outcome.verdict.report.output == b'"taken"'


@needs_groups
async def test_alone_it_bounds_javascript() -> None:
    async with a_zygote("js", frozenset({"policy", CGROUP})) as zygote:
        zygote.watch.begin = lambda *_: None  # type: ignore[method-assign]
        outcome = await run(Supply(zygote), "const k = []; for (;;) k.push(new Uint8Array(1e6).fill(1));", "js")
    assert outcome.verdict.failure is not None
    assert outcome.verdict.failure.kind is ErrorKind.MEMORY_LIMIT
    assert [(event.layer, event.action) for event in outcome.events] == [("cgroup", "killed")]
    assert outcome.usage.peak_memory_bytes <= MOST


@needs_groups
@pytest.mark.parametrize("runtime", ["python", "js"])
def test_page_tables_of_a_child_under_all_limits(runtime: str) -> None:
    """In a V8 child nothing else bounds them; in a Python child the address space does."""
    group = cgroup.enter().make(runtime, MOST)
    door = group.open_door()
    script = ROOT / "tests" / "sandbox" / "hoarder.py"
    layers = "rlimits,seccomp,cgroup"
    command = [sys.executable, "-I", str(script), str(ROOT), runtime, layers, "scatter", str(door)]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, pass_fds=[door], timeout=GUARD_SECONDS
    )
    os.close(door)
    assert done.returncode == 0, done.stderr
    assert group.ran_out() is (runtime == "js")
    assert (done.stdout.split()[-1] == "gone") is (runtime == "js")
    assert group.remove()


@needs_groups
async def test_no_process_more_than_a_runtime_needs() -> None:
    code = "import os\ndef main():\n    try:\n        os.fork()\n    except BlockingIOError:\n        return 'refused'"
    async with a_zygote("python", frozenset({CGROUP})) as zygote:
        outcome = await run(Supply(zygote), code)
    if "pids" not in (Path(cgroup.enter()._folder) / "cgroup.controllers").read_text():
        pytest.skip("no pids controller was given to this process")
    assert outcome.verdict.report is not None
    assert outcome.verdict.report.output == b'"refused"'


@needs_groups
@pytest.mark.parametrize("runtime", ["python", "js"])
async def test_a_lower_limit_lowers_the_group_too(runtime: str) -> None:
    async with a_zygote(runtime, LAYERS) as zygote:
        supply = Supply(zygote)
        await run(supply, "1", runtime)
        assert supply.most == str(MOST)
        await run(supply, "1", runtime, memory_mb=16)
        assert supply.most == str(16 * MIB + SLACK_BYTES)


@needs_groups
@pytest.mark.parametrize(
    ("runtime", "code"),
    [
        ("python", "keep = []\nwhile True: keep.append(b'x' * 100_000)"),
        ("python", "keep = []\nwhile True: keep.append([])"),
        ("js", "const k = []; for (;;) k.push(new Uint8Array(1e5).fill(1));"),
        ("js", "const k = []; for (;;) k.push(new Array(1e5).fill(.5));"),
    ],
)
async def test_the_limit_of_the_process_comes_first(runtime: str, code: str) -> None:
    """The group is the second bound: a program that runs into its limit gets its MemoryError as on every other host."""
    async with a_zygote(runtime, LAYERS) as zygote:
        outcome = await run(Supply(zygote), code, runtime)
    assert outcome.verdict.failure is not None
    assert outcome.verdict.failure.kind is ErrorKind.MEMORY_LIMIT
    assert outcome.events == ()


@needs_groups
async def test_groups_do_not_pile_up() -> None:
    folder = Path(cgroup.enter()._folder)
    async with a_zygote("python", LAYERS) as zygote:
        for _ in range(20):
            supply = Supply(zygote)
            outcome = await run(supply, "1")
            assert outcome.verdict.failure is None
            assert not supply.folder.exists()
    assert not children(folder)


def children(folder: Path) -> list[Path]:
    return list(folder.glob("langserver-child-*"))


@pytest.fixture
def delegated() -> Iterator[Path]:
    """Another group of our own, with nobody in it: for a server in a process of its own."""
    folder = Path(cgroup.enter()._folder) / f"langserver-test-{os.getpid()}-{next(NUMBERS)}"
    folder.mkdir()
    if os.geteuid() == 0:
        os.setxattr(folder, "user.delegate", b"1")  # as systemd does
    yield folder
    for inner in folder.iterdir():
        if inner.is_dir():
            inner.rmdir()
    folder.rmdir()


def command_in(folder: Path, *arguments: str) -> list[str]:
    enter = f'echo 0 > {folder}/cgroup.procs && exec "$@"'
    return ["sh", "-c", enter, "sh", sys.executable, "-m", "langserver", *arguments]


@needs_groups
def test_doctor_says_that_they_are_there(delegated: Path) -> None:
    done = subprocess.run(
        command_in(delegated, "doctor", "--json"), capture_output=True, text=True, timeout=GUARD_SECONDS
    )
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert [layer["active"] for layer in found["layers"] if layer["name"] == CGROUP] == [True]


@needs_groups
def test_a_command_beside_others_says_why_it_has_none(delegated: Path) -> None:
    beside = command_in(delegated, "doctor", "--json")
    beside[2] = beside[2].replace("exec", "") + "; true"  # the shell stays
    done = subprocess.run(beside, capture_output=True, text=True, timeout=GUARD_SECONDS)
    [layer] = [layer for layer in json.loads(done.stdout)["layers"] if layer["name"] == CGROUP]
    assert (layer["active"], layer["detail"]) == (False, f"{delegated} has other processes: 1")


@needs_groups
def test_a_server_gives_each_child_a_group(delegated: Path) -> None:
    (delegated / "langserver-child-left").mkdir()  # of a server that died
    settings = {"LANG_RUNTIMES": "python", "LANG_REQUIRED_LAYERS": "policy,cgroup", "LANG_MEMORY_MB": "64"}
    environment = {**os.environ, **settings, "LANG_LISTEN_ADDR": "127.0.0.1:0"}
    with subprocess.Popen(command_in(delegated, "serve"), env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        match = re.search(r"listening on (\S+)", server.stdout.readline())
        assert match is not None
        with grpc.insecure_channel(match.group(1)) as channel:
            stub = lang_pb2_grpc.LanguageServerStub(channel)
            layers = stub.GetCapabilities(lang_pb2.GetCapabilitiesRequest()).layers
            assert [layer.active for layer in layers if layer.name == CGROUP] == [True]
            assert not (delegated / "langserver-child-left").exists()
            assert (delegated / "cgroup.procs").read_text() == ""
            seen = run_and_look(stub, delegated)
            assert seen["memory.max"] == str(16 * MIB + SLACK_BYTES)
            assert seen["memory.oom.group"] == "1"
            assert seen["cgroup.procs"].count("\n") == 0
            bomb = execute(stub, "keep = []\nwhile True: keep.append(b'x' * 100_000)")
            assert bomb.error.kind == lang_pb2.ERROR_KIND_MEMORY_LIMIT
            assert execute(stub, "def main(): return 1").output_json == "1"
        server.terminate()
        server.wait(GUARD_SECONDS)
    assert not children(delegated)


def execute(stub: lang_pb2_grpc.LanguageServerStub, code: str, memory_mb: int = 0) -> lang_pb2.ExecuteResponse:
    request = lang_pb2.ExecuteRequest(
        runtime="python", inline_code=lang_pb2.InlineCode(code=code), limits=lang_pb2.Limits(memory_mb=memory_mb)
    )
    return stub.Execute(request, timeout=GUARD_SECONDS)


def run_and_look(stub: lang_pb2_grpc.LanguageServerStub, folder: Path) -> dict[str, str]:
    """The group of a task with a lower limit, looked at while it runs."""
    code = "print('here')\nwhile True: pass"
    request = lang_pb2.ExecuteRequest(
        runtime="python", inline_code=lang_pb2.InlineCode(code=code), limits=lang_pb2.Limits(memory_mb=16)
    )
    running = stub.ExecuteStream(request, timeout=GUARD_SECONDS)
    next(running)
    groups = children(folder)
    names = ("memory.max", "memory.oom.group", "cgroup.procs", "memory.current")
    found = [{name: (group / name).read_text().strip() for name in names} for group in groups]
    assert len(groups) >= 1
    running.cancel()
    [lowered] = [each for each in found if each["memory.max"] == str(16 * MIB + SLACK_BYTES)]
    return lowered

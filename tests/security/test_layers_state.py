"""A sealed child and its zygote, seen from outside through /proc."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.security.layers import AVAILABLE, HAS_LANDLOCK, HAS_NAMESPACES, IS_ROOT, KERNEL_LAYERS, ROOT

ALL_LAYERS = f"audit,{KERNEL_LAYERS}{',namespaces' if HAS_NAMESPACES else ''}"


def read_state(process: subprocess.Popen[str], layers: str) -> dict:
    """What held.py prints, with the numbers that the two processes have here."""
    assert process.stdout is not None
    state = json.loads(process.stdout.readline())
    if "namespaces" in layers:
        assert state["zygote"] == 1
        (zygote,) = psutil.Process(process.pid).children()
        (child,) = zygote.children()
        state |= {"launcher": process.pid, "zygote": zygote.pid, "child": child.pid}
    return state


@contextmanager
def held(runtime: str, layers: str) -> Iterator[dict]:
    script = ROOT / "tests" / "sandbox" / "held.py"
    process = subprocess.Popen(
        [sys.executable, "-I", str(script), str(ROOT), runtime, layers],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield read_state(process, layers)
    finally:
        process.stdin.close()
        assert process.wait(timeout=30) == 0
        process.stdout.close()


@pytest.fixture(scope="module", params=["python", "js"])
def sealed(request: pytest.FixtureRequest) -> Iterator[dict]:
    with held(request.param, ALL_LAYERS) as state:
        yield state | {"runtime": request.param}


def status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def limits(pid: int) -> dict[str, tuple[str, str]]:
    lines = Path(f"/proc/{pid}/limits").read_text().splitlines()[1:]
    return {line[:26].strip(): (line[26:47].strip(), line[47:68].strip()) for line in lines}


def test_the_child_has_no_authority(sealed: dict) -> None:
    seen = status(sealed["child"])
    assert seen["Seccomp"] == "2"
    assert int(seen["Seccomp_filters"]) == int(status(os.getpid())["Seccomp_filters"]) + 1
    assert seen["NoNewPrivs"] == "1"
    assert {seen[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert seen["SigBlk"] == "0" * 16
    # 32 and 33 are glibc's own: its posix_spawn leaves them ignored, and no program can change that.
    assert int(seen["SigIgn"], 16) & 0x7FFFFFFF == 1 << signal.SIGXFSZ - 1
    assert seen["SigCgt"] == "0" * 16
    if IS_ROOT:
        assert seen["CapBnd"] == "0" * 16
        assert set(seen["Uid"].split()) | set(seen["Gid"].split()) == {"65532"}
        assert seen["Groups"] == ""


def test_the_zygote_is_nobody_either(sealed: dict) -> None:
    seen = status(sealed["zygote"])
    assert seen["NoNewPrivs"] == "1"
    assert {seen[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    if IS_ROOT:
        assert set(seen["Uid"].split()) == {"65532"}
    assert sealed["unknown_closed"]
    assert Path(f"/proc/{sealed['zygote']}/environ").stat().st_uid == 0, "non-dumpable: its files are root's"


@pytest.mark.skipif(not HAS_NAMESPACES, reason=f"not to be had here: {AVAILABLE['namespaces'].detail}")
def test_the_launcher_is_nobody_either(sealed: dict) -> None:
    seen = status(sealed["launcher"])
    assert seen["NoNewPrivs"] == "1"
    assert {seen[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    if IS_ROOT:
        assert set(seen["Uid"].split()) == {"65532"}


def test_limits(sealed: dict) -> None:
    seen = limits(sealed["child"])
    zero = ("core file size", "file size", "locked memory", "msgqueue size", "processes", "open files")
    for name in (*zero, "nice priority", "realtime priority"):
        assert seen[f"Max {name}"] == ("0", "0"), name
    assert seen["Max stack size"] == ("0", "0"), "what it has is whole already"
    assert seen["Max cpu time"] == ("17", "18")
    bounded, free = ("Max data size", "Max address space")[:: 1 if sealed["runtime"] == "js" else -1]
    assert seen[bounded] == (str(1 << 40),) * 2
    assert seen[free][0] == "unlimited", "lowering AS would switch DATA off; DATA bounds nothing that AS does not"


def test_the_child_dies_first(sealed: dict) -> None:
    score = {name: int(Path(f"/proc/{sealed[name]}/oom_score_adj").read_text()) for name in ("child", "zygote")}
    assert score["child"] == 1000
    assert score["zygote"] == int(Path("/proc/self/oom_score_adj").read_text())


def test_what_a_waking_runtime_can_open(sealed: dict) -> None:
    entropy, file, lowest = sealed["woken"]
    assert lowest == "5", "report and input, and nothing of the zygote's"
    if HAS_LANDLOCK:
        assert entropy == ("opened" if sealed["runtime"] == "js" else "13")
        assert file == "13"


def test_a_child_does_not_outlive_its_zygote() -> None:
    """Also without any layer: an orphan would run on with nobody to end it."""
    script = ROOT / "tests" / "sandbox" / "held.py"
    for layers in ("none", ALL_LAYERS):
        process = subprocess.Popen(
            [sys.executable, "-I", str(script), str(ROOT), "python", layers],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with process:
            child = read_state(process, layers)["child"]
            process.kill()
        wait_until_gone(child)


def wait_until_gone(pid: int) -> None:
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([watch], [], [], 20)[0], "the child still runs"
    finally:
        os.close(watch)

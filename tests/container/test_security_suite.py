"""The security suite, run inside the container: by its user, in its walls, against the installed wheel.

Whole under deploy/seccomp.json, and under the engine's default profile what that one keeps from being tried: decision
0066 says why.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.container import wheels
from tests.container.base import base_image
from tests.container.engine import OUR_SECCOMP, UID, Engine, call
from tests.container.image import ROOT

SUITE = "tests/security"
PROGRAMS = {"dash": "sh", "true": "true", "cat": "cat", "id": "id"}  # which attacks execute; the image has none
TOOLS = ("hypothesis", "psutil", "pytest", "pytest-asyncio", "pytest-timeout")
SECONDS = 1500
# Tests that take calls of their own which our profile has not, and are run under the engine's.
THE_ENGINES = (
    # How it goes without our layers: mknod, link, truncate, memfd_create, shmget, and other tables of calls.
    f"{SUITE}/test_landlock_abis.py",
    f"{SUITE}/test_layers_matrix.py",
    # Where rlimits alone stop a fork, clone3 comes through.
    f"{SUITE}/test_attacks.py::test_attack[rlimits-n-vfork-clone-raw]",
    f"{SUITE}/test_attacks.py::test_attack[landlock+rlimits+privileges-n-vfork-clone-raw]",
    # It sets alarms (setitimer), as far as the wall.
    f"{SUITE}/test_attacks.py::test_is_real[answer-n-timers-cancelled-spin]",
    # They trace a child (ptrace), or make files that others may read (chmod).
    f"{SUITE}/test_randomness.py",
    f"{SUITE}/test_failed_jails.py",
    f"{SUITE}/test_public_names.py",
    f"{SUITE}/test_source_lines.py",
)
# What our profile stops without a layer of ours, so that nothing is shown there.
STOPPED = re.compile(r"this machine stops it without any layer|no process may trace another here")
# What cannot be tried there, and is told by `langserver doctor` too. Any other skip would hide something.
SKIPPED = re.compile(
    r"not to be had here: Operation not permitted|kernel\.randomize_va_space is 0"
    # What the container's own walls stop says nothing of ours, and the image has no Node.js to compare with.
    r"|this machine stops it without any layer|there is no `node` on this machine"
    r"|control groups are not to be had here|only root can mount|no number can be chosen"
    # The image is the product's: whoever adds packages builds his own on it.
    r"|no package of an operator is installed here"
    # What only root, or one who may trace, can look at.
    r"|only root may look at the descriptors|an ordinary user has no identity to give up|need CAP_SYS_PTRACE"
)
# Scratch for the tests; the product needs none. PYTHONPATH is for pytest: the processes of the product ignore it.
OPTIONS = (
    "--tmpfs=/tmp:rw,nosuid,nodev,noexec,size=256m,mode=1777",
    "--workdir=/suite",
    "--env=HOME=/tmp",
    "--env=PYTHONPATH=/tools",
    "--env=PYTHONDONTWRITEBYTECODE=1",
    "--env=HYPOTHESIS_STORAGE_DIRECTORY=/tmp/hypothesis",
)


@pytest.fixture(scope="module")
def mounts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The tests without the tree they belong to, so that they can only import what is installed; pytest; a way out."""
    folder = tmp_path_factory.mktemp("suite")
    suite, tools, out = (folder / name for name in ("suite", "tools", "out"))
    shutil.copytree(ROOT / "tests", suite / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "demo", suite / "demo", ignore=shutil.ignore_patterns("__pycache__"))  # honest programs
    shutil.copy(ROOT / "pyproject.toml", suite)
    wheels.install(wheels.part_of((ROOT / "requirements-dev.lock").read_text(), TOOLS), tools)
    call("chmod", "-R", "a+rX", suite, tools)
    out.mkdir()
    os.chown(out, UID, UID)
    programs = {f"/usr/bin/{name}:ro": folder / name for name in PROGRAMS.values()}
    mounted = Path(call("podman", "image", "mount", base_image()).strip())
    try:
        for program, name in PROGRAMS.items():
            shutil.copy(mounted / "usr/bin" / program, folder / name)
    finally:
        call("podman", "image", "unmount", base_image())
    return {"/suite:ro": suite, "/tools:ro": tools, "/out:rw": out, **programs}


def tried(
    engine: Engine, image: str, mounts: dict[str, Path], *tests: str, options: Sequence[str] = ()
) -> dict[str, str]:
    """Of each test that ended well, by its name for pytest, why it was skipped: empty where it was not."""
    volumes = [f"--volume={folder}:{place}" for place, folder in mounts.items()]
    # Alarms by setitimer(2), which pytest-timeout sets otherwise, are none of the calls in our profile; a thread of its
    # can only end everything, so it is given time.
    guards = ["-o", "timeout_method=thread", "-o", "timeout=600"]
    asked = ["-m", "not slow", "-p", "no:cacheprovider", *guards, "--junit-xml=/out/found.xml", *tests]
    command = ["python3", "-m", "pytest", *asked]
    done = engine.run(image, *command, options=[*OPTIONS, *volumes, *options], timeout=SECONDS)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-4000:]
    found = {}
    for case in ElementTree.parse(mounts["/out:rw"] / "found.xml").iter("testcase"):
        file = f"{case.attrib['classname'].replace('.', '/')}.py"
        found[f"{file}::{case.attrib['name']}"] = "".join(skip.get("message") or "" for skip in case.iter("skipped"))
    return found


@pytest.fixture(scope="module")
def under_ours(engine: Engine, image: str, mounts: dict[str, Path]) -> dict[str, str]:
    without = [f"--deselect={test}" for test in THE_ENGINES]
    return tried(engine, image, mounts, SUITE, *without, options=[OUR_SECCOMP])


def unknown(found: dict[str, str], *known: re.Pattern[str]) -> list[str]:
    """Reasons for skips that hide something."""
    return [reason for reason in found.values() if reason and not any(one.search(reason) for one in known)]


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 60)
def test_it_is_as_contained_as_outside(under_ours: dict[str, str]) -> None:
    assert unknown(under_ours, SKIPPED, STOPPED) == []
    assert sum(not reason for reason in under_ours.values()) > 3000


@pytest.mark.slow
@pytest.mark.timeout(2 * SECONDS + 60)
def test_what_our_profile_stops_is_tried_under_the_engines(
    engine: Engine, image: str, mounts: dict[str, Path], under_ours: dict[str, str]
) -> None:
    stopped = [test for test, reason in under_ours.items() if STOPPED.search(reason)]
    found = tried(engine, image, mounts, *stopped, *THE_ENGINES)
    assert unknown(found, SKIPPED) == []
    shown = [test for test in stopped if not found[test]]
    assert len(shown) > 50, "our profile stops more than that, and the engine's does not"

"""The security suite, run inside the container: by its user, in its walls, against the installed wheel."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.container import wheels
from tests.container.base import base_image
from tests.container.engine import UID, Engine, call
from tests.container.image import ROOT

SUITE = "tests/security"
PROGRAMS = {"dash": "sh", "true": "true", "cat": "cat", "id": "id"}  # which attacks execute; the image has none
TOOLS = ("hypothesis", "psutil", "pytest", "pytest-asyncio", "pytest-timeout")
SECONDS = 1500
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


@pytest.fixture
def mounts(tmp_path: Path) -> dict[str, Path]:
    """The tests without the tree they belong to, so that they can only import what is installed; pytest; a way out."""
    suite, tools, out = (tmp_path / name for name in ("suite", "tools", "out"))
    shutil.copytree(ROOT / "tests", suite / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "demo", suite / "demo", ignore=shutil.ignore_patterns("__pycache__"))  # honest programs
    shutil.copy(ROOT / "pyproject.toml", suite)
    wheels.install(wheels.part_of((ROOT / "requirements-dev.lock").read_text(), TOOLS), tools)
    call("chmod", "-R", "a+rX", suite, tools)
    out.mkdir()
    os.chown(out, UID, UID)
    programs = {f"/usr/bin/{name}:ro": tmp_path / name for name in PROGRAMS.values()}
    mounted = Path(call("podman", "image", "mount", base_image()).strip())
    try:
        for program, name in PROGRAMS.items():
            shutil.copy(mounted / "usr/bin" / program, tmp_path / name)
    finally:
        call("podman", "image", "unmount", base_image())
    return {"/suite:ro": suite, "/tools:ro": tools, "/out:rw": out, **programs}


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 60, func_only=True)
def test_it_is_as_contained_as_outside(engine: Engine, image: str, mounts: dict[str, Path]) -> None:
    volumes = [f"--volume={folder}:{place}" for place, folder in mounts.items()]
    command = [
        "python3",
        "-m",
        "pytest",
        SUITE,
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        "--junit-xml=/out/found.xml",
    ]
    done = engine.run(image, *command, options=[*OPTIONS, *volumes], timeout=SECONDS)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-4000:]
    cases = list(ElementTree.parse(mounts["/out:rw"] / "found.xml").iter("testcase"))
    reasons = [skip.get("message") or "" for case in cases for skip in case.iter("skipped")]
    assert [reason for reason in reasons if not SKIPPED.search(reason)] == []
    assert len(cases) - len(reasons) > 200

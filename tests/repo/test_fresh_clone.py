"""A clone on a machine with only python3, make and git: the first command typed sets everything up."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_set_up_from_the_committed_files(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "VIRTUAL_ENV"))}
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True, timeout=60)

    def make(target: str) -> str:
        command = ["make", target]
        done = subprocess.run(
            command, cwd=clone, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=500
        )
        return done.stdout

    assert "setting up" in make("setup")
    assert "setting up" not in make("setup")  # nothing left to do

    assert "Every outcome is the expected one." in make("demo")

    said = subprocess.run(
        [clone / ".venv" / "bin" / "langserver", "--version"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,
    )
    assert "0." in said.stdout

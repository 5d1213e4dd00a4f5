"""The command as a user starts it: a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from langserver.cli import main

COMMAND = (sys.executable, "-m", "langserver.cli")
HANG_GUARD_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        """Its output, which must be one line of JSON."""
        (line,) = self.out.splitlines()
        return json.loads(line)


Cli = Callable[..., Ended]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Runs `langserver` with these arguments in an empty folder; none of its errors may be a traceback of ours."""

    def run(*arguments: str, stdin: str = "", env: dict[str, str] | None = None) -> Ended:
        ended = subprocess.run(
            [*COMMAND, *arguments],
            input=stdin.encode(),
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, **(env or {})},
            timeout=HANG_GUARD_SECONDS,
            check=False,
        )
        out, err = ended.stdout.decode(), ended.stderr.decode()
        assert "langserver/" not in err, err
        return Ended(ended.returncode, out, err)

    return run


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """The same inside this process: quick, for what ends before anything is started."""

    def run(*arguments: str) -> Ended:
        monkeypatch.chdir(tmp_path)
        try:
            status = main(arguments)
        except SystemExit as asked:
            status = int(asked.code or 0)
        return Ended(status, *capsys.readouterr())

    return run


@pytest.fixture
def task(tmp_path: Path) -> Callable[[str, str], str]:
    """Writes a file of this name and returns the name."""

    def write(name: str, code: str) -> str:
        (tmp_path / name).write_text(code, encoding="utf-8")
        return name

    return write

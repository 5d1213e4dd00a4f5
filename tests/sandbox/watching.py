"""The test's side of watched.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.sandbox.without_vdso import NO_TRACE

ROOT = Path(__file__).parents[2]
HERE = ROOT / "tests" / "sandbox"


class CannotTrace(Exception):
    """A host on which no process may trace another."""


class WatchedZygote:
    """One process of watched.py; without a vDSO where `vdso` is False (without_vdso.py)."""

    def __init__(self, runtime: str, layers: str, *, vdso: bool = True) -> None:
        """Raises CannotTrace, with `vdso` False."""
        python = [sys.executable, "-I"]
        without = [] if vdso else [*python, str(HERE / "without_vdso.py")]
        command = [*without, *python, str(HERE / "watched.py"), str(ROOT), runtime, layers]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={})
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "ready\n":
            status = self._process.wait(30)
            assert status == NO_TRACE, f"it ended with status {status}"
            raise CannotTrace

    def run(self, code: str, **task: Any) -> dict[str, Any]:
        """What became of one task: the answer of watched.py."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"code": code, **task}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """Ends it."""
        with self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()
            assert self._process.wait(30) == 0

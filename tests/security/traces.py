"""A task under a tracer: see tests/sandbox/traced.py."""

from __future__ import annotations

import json
import subprocess
import sys

from langserver.sandbox.layers import LANDLOCK, RLIMITS, SECCOMP
from tests.security.layers import HAS_LANDLOCK, ROOT

_LAYERS = ",".join((RLIMITS, SECCOMP, *((LANDLOCK,) if HAS_LANDLOCK else ())))


def traced(runtime: str, source: str, *arguments: str) -> dict:
    """What its threads asked of the kernel, and whether it succeeded."""
    script = ROOT / "tests" / "sandbox" / "traced.py"
    command = [sys.executable, "-I", str(script), str(ROOT), runtime, _LAYERS, *arguments]
    done = subprocess.run(command, input=source, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    result: dict = json.loads(done.stdout)
    return result

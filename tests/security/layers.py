"""Runs the attempts of tests/sandbox/attempts.py under a set of layers; one process a set, one child an attempt."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

from langserver.sandbox.probe import probe

ROOT = Path(__file__).parents[2]
IS_ROOT = os.geteuid() == 0
AVAILABLE = {status.name: status for status in probe()}
HAS_LANDLOCK = AVAILABLE["landlock"].available
HAS_NAMESPACES = AVAILABLE["namespaces"].available
LANDLOCK_ABI = int(AVAILABLE["landlock"].detail.removeprefix("ABI ")) if HAS_LANDLOCK else 0
KERNEL_LAYERS = ",".join(("privileges", "rlimits", *(("landlock",) if HAS_LANDLOCK else ()), "seccomp"))
MEMORY_CEILING = 128 << 20


@functools.cache
def outcomes(layers: str, runtime: str = "python", *names: str) -> dict[str, str]:
    """What became of each attempt: `done`, an errno's name, `refused` by the hook, an exception's name, a signal."""
    zygote = ROOT / "tests" / "sandbox" / "zygote.py"
    command = [sys.executable, "-I", str(zygote), str(ROOT), runtime, layers, str(MEMORY_CEILING), *names]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert finished.returncode == 0, finished.stderr
    result = json.loads(finished.stdout)
    assert isinstance(result, dict)
    return result

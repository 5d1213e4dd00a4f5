"""`make fuzz`, for a few seconds a target: that it works, and a little more fuzzing with every slow run."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def make(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", *words], cwd=ROOT, capture_output=True, text=True, timeout=600)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(
    platform.machine() != "x86_64" or not (3, 11) <= sys.version_info[:2] <= (3, 13),
    reason="atheris has wheels for Python 3.11 to 3.13 on x86-64 only",
)
def test_make_fuzz_finds_nothing() -> None:
    prepared = make(".venv-fuzz/.stamp")
    assert prepared.returncode == 0, prepared.stderr
    ran = make("fuzz", "FUZZ_SECONDS=7")
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr
    targets = len(list((ROOT / "tests" / "fuzz" / "targets").glob("*.py")))
    assert ran.stdout.count("DONE") == targets

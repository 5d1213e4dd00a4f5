"""`make fuzz`, for a few seconds a target: that it works, and a little more fuzzing with every slow run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def make(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", *words], cwd=ROOT, capture_output=True, text=True, timeout=600)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_make_fuzz_finds_nothing() -> None:
    prepared = make(".venv-fuzz/.stamp")
    if prepared.returncode:
        pytest.skip(f"atheris cannot be installed here: {prepared.stderr.strip()[-300:]}")
    ran = make("fuzz", "FUZZ_SECONDS=7")
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr
    targets = len(list((ROOT / "tests" / "fuzz" / "targets").glob("*.py")))
    assert ran.stdout.count("DONE") == targets

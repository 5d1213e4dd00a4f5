"""The soak finds what grows; and a short run of it, so that it goes on working."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak.verdict import BOUNDS, judge

ROOT = Path(__file__).resolve().parents[2]
LEVEL = 100.0


def grown(name: str, samples: list[float]) -> bool:
    """Whether `judge` says so of this quantity, and of no other."""
    lines = judge([dict.fromkeys(BOUNDS, LEVEL) | {name: value} for value in samples])
    assert all(line.holds for line in lines if line.name != name)
    return not next(line for line in lines if line.name == name).holds


@pytest.mark.parametrize("name", BOUNDS)
def test_what_grows_slowly_is_found(name: str) -> None:
    bound = BOUNDS[name]
    most = max(bound.part * LEVEL, bound.amount)
    assert grown(name, [LEVEL + (most + 1) * 3 * n / 60 for n in range(60)])


@pytest.mark.parametrize("name", BOUNDS)
def test_what_wavers_or_was_low_at_first_has_not_grown(name: str) -> None:
    assert not grown(name, [LEVEL / 2] * 9 + [LEVEL] * 51)
    assert not grown(name, [LEVEL * 3 if n % 5 == 0 else LEVEL for n in range(60)])
    assert not grown(name, [LEVEL] * 57 + [LEVEL * 9] * 3)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may see what processes hold that are not dumpable")
def test_a_short_run() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.soak.run", "30"], cwd=ROOT, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing has grown" in done.stdout

"""Ways around a memory limit of 64 MiB, each trying for 256: the limit holds only together with the filter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIMIT, SLACK = 64, 32


def said(runtime: str, layers: str, way: str) -> str:
    """MiB that the child came to hold, or `gone`."""
    hoarder = ROOT / "tests" / "sandbox" / "hoarder.py"
    command = [sys.executable, "-I", str(hoarder), str(ROOT), runtime, layers, way]
    finished = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.split()[-1]


def held(runtime: str, layers: str, way: str) -> int:
    return int(said(runtime, layers, way))


@pytest.mark.parametrize("runtime", ["python", "js"])
@pytest.mark.parametrize(
    "way", ["ordinary", "reserve", "reserve_no_swap", "shared", "grow_down", "forget_rights", "move_stack"]
)
def test_limit_and_filter_hold(runtime: str, way: str) -> None:
    assert held(runtime, "rlimits,seccomp", way) <= LIMIT + SLACK


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_a_stack_that_is_cut_grows_no_more(runtime: str) -> None:
    """Who touches what lies below it has touched nothing: SIGSEGV."""
    assert said(runtime, "rlimits,seccomp", "cut_stack") == "gone"


@pytest.mark.parametrize("way", ["shared", "grow_down", "forget_rights", "move_stack"])
def test_without_the_filter_the_data_limit_does_not(way: str) -> None:
    assert held("js", "rlimits", way) >= 200


@pytest.mark.parametrize("runtime", ["python", "js"])
@pytest.mark.parametrize("way", ["ordinary", "cut_stack"])
def test_without_a_limit_nothing_holds(runtime: str, way: str) -> None:
    assert held(runtime, "seccomp", way) >= 200


@pytest.mark.parametrize("way", ["reserve", "reserve_no_swap"])
def test_the_filter_lets_a_javascript_child_reserve(way: str) -> None:
    """Malloc does: so of these two it is the limit that holds, alone too."""
    assert held("js", "seccomp", way) >= 200
    assert held("js", "rlimits", way) <= LIMIT + SLACK


def test_no_limit_counts_the_page_tables_of_a_javascript_child() -> None:
    """Not defended, and in docs/threat-model.md: the watch and a control group see them."""
    assert held("js", "rlimits,seccomp", "give_back") >= 200
    assert held("python", "rlimits,seccomp", "give_back") <= LIMIT + SLACK


def test_page_tables_are_bounded_in_a_python_child() -> None:
    assert held("python", "rlimits,seccomp", "scatter") <= LIMIT + SLACK
    assert held("python", "rlimits", "scatter") >= 100

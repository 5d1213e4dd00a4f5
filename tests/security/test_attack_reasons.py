"""Each attack on the Python policy is stopped by what it attacks, and not by something beside it."""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any

import pytest

from langserver.core.outcome import ErrorKind
from langserver.python_runtime import PythonRuntime
from tests.runtimes.python.conftest import Ran, drive, loaded
from tests.security.suite.attack import Attack, load


def has_target(attack: Attack) -> bool:
    """Whether this Python has what the attack wants: its syntax, and what modules of the library re-export."""
    if attack.since > sys.version_info[:2]:
        return False
    wanted = re.match(
        r"the attribute '(\w+)' is not available here: it is not part of the module '([\w.]+)'", attack.because
    )
    return wanted is None or hasattr(importlib.import_module(wanted[2]), wanted[1])


ATTACKS = [attack for attack in load() if attack.because and has_target(attack)]


@pytest.fixture(scope="module")
def runtime() -> PythonRuntime:
    return loaded(policy=True)


def refused(ran: Ran) -> list[str]:
    """What the policy said, of what ended the task and of what the program caught."""
    said: list[Any] = [event.detail for event in ran.events if event.layer == "policy"]
    failures = ran.report.failures if ran.report else ()
    return said + [failure.message for failure in failures if failure.kind is ErrorKind.POLICY_VIOLATION]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_reason(runtime: PythonRuntime, attack: Attack) -> None:
    said = refused(drive(runtime, attack.code, dict(attack.input), memory=256 << 20))
    assert any(attack.because in each for each in said), said


def test_most_rows_have_a_reason() -> None:
    families = {"introspection", "frames", "format strings", "module leaks"}
    rows = [attack for attack in load() if attack.runtime == "python" and attack.family in families]
    without = [attack.id for attack in rows if not attack.because and not attack.decision]
    assert len(without) < len(rows) / 4, without

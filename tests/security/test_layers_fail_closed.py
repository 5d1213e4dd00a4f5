"""A step that fails ends the child at once, with the step's own exit code and without a word."""

from __future__ import annotations

import subprocess
import sys

import pytest

from langserver.sandbox import libc
from langserver.sandbox.jail import STEPS, step_of_exit_code
from tests.sandbox.breakage import BREAKAGES
from tests.security.layers import HAS_LANDLOCK, ROOT

# In a container it is set already, and no process can take it back: there the step can't fail.
NO_NEW_PRIVILEGES = libc.prctl(libc.PR_GET_NO_NEW_PRIVS) == 1

# The name of a breakage is the name of the step it breaks, but for these.
BROKEN_STEP = {"diverged thread": "seccomp", "no signal from the parent": "parent death"}


def seal_with(breakage: str) -> tuple[int, str, str]:
    script = ROOT / "tests" / "sandbox" / "breakage.py"
    done = subprocess.run(
        [sys.executable, "-I", str(script), str(ROOT), breakage], capture_output=True, text=True, timeout=60
    )
    code, _, said = done.stdout.strip().partition(" ")
    return int(code), said, done.stderr


SEALED = (0, "sealed", "")


def test_unbroken_it_is_sealed() -> None:
    assert seal_with("nothing") == SEALED


@pytest.mark.parametrize("breakage", [name for name in BREAKAGES if name != "landlock" or HAS_LANDLOCK])
def test_a_broken_step_ends_the_child(breakage: str) -> None:
    code, said, errors = seal_with(breakage)
    if breakage == "no new privileges" and NO_NEW_PRIVILEGES:
        assert (code, said, errors) == SEALED
        return
    assert step_of_exit_code(code) == BROKEN_STEP.get(breakage, breakage)
    assert said == ""
    assert errors == ""


def test_every_step_has_a_breakage() -> None:
    assert {BROKEN_STEP.get(name, name) for name in BREAKAGES} == {step.name for step in STEPS}


def test_exit_codes_are_one_a_step_and_no_other() -> None:
    names = [step_of_exit_code(code) for code in range(256)]
    assert [name for name in names if name is not None] == [step.name for step in STEPS]
    assert names[64] == STEPS[0].name
    assert step_of_exit_code(-9) is None

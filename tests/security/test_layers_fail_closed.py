"""A step that fails ends the child at once, with the step's own exit code, without a word and with its task unread."""

from __future__ import annotations

import subprocess
import sys

import pytest

from langserver.sandbox import libc
from langserver.sandbox.jail import STEPS, step_of_exit_code
from tests.sandbox.breakage import BREAKAGES, TASK
from tests.security.layers import HAS_LANDLOCK, ROOT

# In a container it is set already, and no process can take it back: there a step that does nothing changes nothing.
NO_NEW_PRIVILEGES = libc.prctl(libc.PR_GET_NO_NEW_PRIVS) == 1
UNBREAKABLE = {f"no new privileges: prctl({libc.PR_SET_NO_NEW_PRIVS}) does nothing"} if NO_NEW_PRIVILEGES else set()


def seal_with(breakage: str) -> tuple[int, int, str, str]:
    script = ROOT / "tests" / "sandbox" / "breakage.py"
    done = subprocess.run(
        [sys.executable, "-I", str(script), str(ROOT), breakage], capture_output=True, text=True, timeout=60
    )
    code, unread, said = done.stdout.rstrip("\n").split(" ", 2)
    return int(code), int(unread), said, done.stderr


SEALED = (0, 0, f"sealed{TASK.decode()}", "")


def test_unbroken_it_is_sealed_and_reads_its_task() -> None:
    assert seal_with("nothing") == SEALED


@pytest.mark.parametrize("breakage", [name for name in BREAKAGES if BREAKAGES[name][0] != "landlock" or HAS_LANDLOCK])
def test_a_broken_step_ends_the_child(breakage: str) -> None:
    if breakage in UNBREAKABLE:
        assert seal_with(breakage) == SEALED
        return
    code, unread, said, errors = seal_with(breakage)
    assert step_of_exit_code(code) == BREAKAGES[breakage][0]
    assert (unread, said, errors) == (len(TASK), "", "")


def test_every_step_has_a_breakage() -> None:
    assert {step for step, _ in BREAKAGES.values()} == {step.name for step in STEPS}


def test_exit_codes_are_one_a_step_and_no_other() -> None:
    names = [step_of_exit_code(code) for code in range(256)]
    assert [name for name in names if name is not None] == [step.name for step in STEPS]
    assert names[64] == STEPS[0].name
    assert step_of_exit_code(-9) is None

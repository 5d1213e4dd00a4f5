"""A ruleset for each ABI of landlock is taken by the kernel, and denies what that ABI knows and nothing else."""

from __future__ import annotations

import errno
import functools
import json
import subprocess
import sys

import pytest

from langserver.sandbox import landlock, libc
from langserver.sandbox.errors import LayerUnavailable
from langserver.sandbox.probe import probe
from tests.security.layers import AVAILABLE, LANDLOCK_ABI, ROOT

KNOWN = 7
OLDEST_TO_NEWEST = [abi for abi in range(1, KNOWN + 1) if abi <= LANDLOCK_ABI]
NOT_HERE = f"this kernel has landlock ABI {LANDLOCK_ABI}: {AVAILABLE['landlock'].detail}"

# attempt: the ABI from which it is stopped, and by which answer.
STOPPED = {
    "read a file": (1, "EACCES"),
    "write a file": (1, "EACCES"),
    "list a folder": (1, "EACCES"),
    "execute": (1, "EACCES"),
    "make a file": (1, "EACCES"),
    "make a folder": (1, "EACCES"),
    "make a link": (1, "EACCES"),
    "make a pipe": (1, "EACCES"),
    "make a socket": (1, "EACCES"),
    "remove a file": (1, "EACCES"),
    "remove a folder": (1, "EACCES"),
    "move between folders": (1, "EACCES"),
    "truncate": (3, "EACCES"),
    "bind TCP": (4, "EACCES"),
    "connect TCP": (4, "EACCES"),
    "ioctl on a device": (5, "EACCES"),
    "connect to an abstract socket": (6, "EPERM"),
    "signal the parent": (6, "EPERM"),
    "write entropy": (1, "EACCES"),
}
NEVER_STOPPED = {"stat", "bind UDP", "signal itself", "use what is open", "truncate what is open"}


@functools.cache
def outcomes(runtime: str) -> dict[int, dict]:
    versions = [0, *OLDEST_TO_NEWEST, *([99] if LANDLOCK_ABI >= KNOWN else [])]
    command = [sys.executable, "-I", str(ROOT / "tests" / "sandbox" / "by_abi.py"), str(ROOT), runtime]
    done = subprocess.run([*command, *map(str, versions)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return {int(abi): answers for abi, answers in json.loads(done.stdout).items()}


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_without_a_ruleset_all_of_it_works(runtime: str) -> None:
    answers = dict(outcomes(runtime)[0])
    assert answers.pop("flags") == []
    assert set(answers) == set(STOPPED) | NEVER_STOPPED | {"read entropy"}
    assert set(answers.values()) == {"done"}


@pytest.mark.skipif(not OLDEST_TO_NEWEST, reason=NOT_HERE)
@pytest.mark.parametrize("abi", OLDEST_TO_NEWEST)
@pytest.mark.parametrize("runtime", ["python", "js"])
def test_it_denies_what_the_abi_knows_and_no_more(runtime: str, abi: int) -> None:
    answers = dict(outcomes(runtime)[abi])
    expected = {name: answer if abi >= first else "done" for name, (first, answer) in STOPPED.items()}
    expected |= dict.fromkeys(NEVER_STOPPED, "done")
    expected["read entropy"] = "done" if runtime == "js" else "EACCES"
    if runtime == "python":
        expected["ioctl on a device"] = "EACCES"  # no device can be opened to begin with
    assert answers.pop("flags") == [5 if abi >= 7 else 0], "refusals are not logged, where that can be said"
    assert answers == expected


@pytest.mark.skipif(LANDLOCK_ABI < KNOWN, reason=NOT_HERE)
@pytest.mark.parametrize("runtime", ["python", "js"])
def test_a_newer_kernel_is_asked_for_what_is_known(runtime: str) -> None:
    assert outcomes(runtime)[99] == outcomes(runtime)[KNOWN]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (errno.ENOSYS, "the kernel is built without it"),
        (errno.EOPNOTSUPP, "switched off when the kernel was started"),
        (errno.EPERM, "Operation not permitted"),
        (0, "the kernel answers ABI 0"),
    ],
)
def test_a_kernel_without_it_is_told(monkeypatch: pytest.MonkeyPatch, answer: int, reason: str) -> None:
    real = libc.syscall

    def without(number: int, *arguments: int) -> int:
        if number != landlock._SYS_CREATE_RULESET:
            return real(number, *arguments)
        if answer:
            raise OSError(answer, "Operation not permitted")
        return 0

    monkeypatch.setattr(libc, "syscall", without)
    with pytest.raises(LayerUnavailable, match=reason):
        landlock.abi()
    found = {status.name: status for status in probe()}["landlock"]
    assert not found.available
    assert reason in found.detail

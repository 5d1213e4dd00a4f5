"""Limits as they are lowered: by the process itself, while somebody else lowers them too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Where the second lowering falls: before the first look at the limit, between the look and the call, or after the call.
SCRIPT = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from langserver.sandbox import libc, rlimits
libc.set_capabilities(0, 0)  # with CAP_SYS_RESOURCE a limit could be raised again
KIND = resource.RLIMIT_NPROC
real_get, real_set = resource.getrlimit, resource.setrlimit
calls = []

def from_outside(at):
    calls.append(1)
    if len(calls) == at:
        real_set(KIND, (40, 50))

def look(kind):
    found = real_get(kind)
    from_outside(LOOK)
    return found

def set_(kind, pair):
    real_set(kind, pair)
    from_outside(SET)

LOOK, SET = {"never": (0, 0), "before": (0, 0), "between": (1, 0), "after": (0, 2)}[sys.argv[2]]
if sys.argv[2] == "before":
    real_set(KIND, (40, 50))
resource.getrlimit, resource.setrlimit = look, set_
rlimits._lower(KIND, 60, 70)
print(*real_get(KIND))
"""


@pytest.mark.parametrize(
    ("moment", "expected"), [("never", "60 70"), ("before", "40 50"), ("between", "40 50"), ("after", "40 50")]
)
def test_a_limit_that_somebody_lowers_meanwhile_stays_lower(moment: str, expected: str) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", SCRIPT, str(ROOT), moment], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout.strip(), done.stderr) == (expected, "")


# Of a host that lets this user raise its priority, as `ulimit -e` and `-r` or a systemd unit do.
PRIVILEGED = """
import os, resource, sys
sys.path.insert(0, sys.argv[1])
from langserver.sandbox import libc, rlimits
if not libc.capabilities()[0] >> 24 & 1:  # CAP_SYS_RESOURCE
    sys.exit("cannot be raised")
for kind in (resource.RLIMIT_NICE, resource.RLIMIT_RTPRIO):
    resource.setrlimit(kind, (20, 20))
os.setresuid(65532, 65532, 65532)
libc.set_capabilities(0, 0)
os.nice(8)
if sys.argv[2] == "limited":
    rlimits.set_early(rlimits.ChildLimits(None, None))

def tried(attempt):
    try:
        attempt()
    except OSError as error:
        return type(error).__name__
    return "done"

print(tried(lambda: os.setpriority(os.PRIO_PROCESS, 0, 0)))
print(tried(lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))))
"""


@pytest.mark.parametrize(("state", "expected"), [("as it was", "done"), ("limited", "PermissionError")])
def test_no_task_takes_back_its_niceness_or_becomes_real_time(state: str, expected: str) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", PRIVILEGED, str(ROOT), state], capture_output=True, text=True, timeout=60
    )
    if done.stderr == "cannot be raised\n":
        pytest.skip("RLIMIT_NICE and RLIMIT_RTPRIO cannot be raised here: no CAP_SYS_RESOURCE")
    assert (done.stdout.split(), done.stderr) == ([expected, expected], "")

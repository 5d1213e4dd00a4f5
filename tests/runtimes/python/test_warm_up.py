"""What a child does while it waits for its task."""

from __future__ import annotations

import random
import sys
import time
import warnings

import pytest

from langserver.python_runtime import sources
from langserver.python_runtime.catalog import MODULES
from langserver.python_runtime.run import PythonRuntime
from tests.runtimes.python.conftest import Run

# All that a program sees of the modules it may have, as text.
LOOK_AROUND = (
    "".join(f"import {name}\n" for name in MODULES)
    + f"""
import re, sys, time, datetime, random, decimal, logging

seen = []
for module in ({", ".join(MODULES)},):
    for name in dir(module):
        value = getattr(module, name, None)
        seen.append([str(module), name, dir(value) if isinstance(value, type) else None, repr(value)])
now = datetime.datetime.fromtimestamp(0)
local = [time.tzname, time.timezone, time.localtime(0).tm_zone, now.astimezone().isoformat(), str(now)]
state = [repr(decimal.getcontext()), repr(logging.getLogger()), random.random(), random.getrandbits(64)]
wide = int("7" * 4300)
try:
    int("7" * 4301)
except ValueError as error:
    state.append(str(error))
result = [seen, local, state, inputs]
"""
)


def test_waiting_leaves_nothing_behind(runtime: PythonRuntime) -> None:
    def seen() -> tuple[object, ...]:
        states = random.getstate(), sys.get_int_max_str_digits(), time.tzname
        return set(sys.modules), sources.label(), list(sources.lines()), list(warnings.filters), states

    before = seen()
    runtime.warm_up()
    assert seen() == before


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_a_program_sees_the_same_in_a_child_that_waited(zone: str, run: Run) -> None:
    given = {"n": 2**70, "a": "\ud7ff"}
    cold, warm = (run(LOOK_AROUND, given, seed=7, zone=zone, is_warm=is_warm) for is_warm in (False, True))
    assert len(cold.value[0]) > 1000
    assert warm.value == cold.value
    assert (warm.logs, warm.events) == (cold.logs, cold.events)

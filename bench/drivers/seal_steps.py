"""Forks children as a zygote does and seals them; prints the nanoseconds of each step, a JSON array a step.

Arguments: the runtime, the number of children, the layers.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from langserver.sandbox import jail as jail_module
from langserver.sandbox.confine import REPORT_FD
from langserver.sandbox.jail import STEPS, ChildLimits, Jail
from langserver.sandbox.layers import parse_layers
from langserver.zygote.main import prepare
from langserver.zygote.runtime import Runtime

NEVER_REACHED = 1 << 50  # bytes: a limit is set, and nothing runs into it
CPU_SECONDS = 60

spent = [0] * len(STEPS)
_TIMES = struct.Struct(f"={len(STEPS)}Q")


def timed(place: int, run: Callable[[Any], None]) -> Callable[[Any], None]:
    """The same step, which notes what it took."""

    def measure(sealing: Any) -> None:
        started = time.perf_counter_ns()
        run(sealing)
        spent[place] = time.perf_counter_ns() - started

    return measure


def seal_one(jail: Jail, runtime: Runtime) -> tuple[int, ...]:
    """What each step took in one child, 0 for one that was not taken."""
    report_read, report_write = os.pipe()
    input_read, input_write = os.pipe()
    limits = ChildLimits(NEVER_REACHED, CPU_SECONDS)
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            jail.seal(report_write, input_read, parent, limits, runtime.wake, lambda _: None)
            os.write(REPORT_FD, _TIMES.pack(*spent))
            os._exit(0)
        finally:
            os._exit(1)
    os.close(report_write)
    os.close(input_read)
    said = os.read(report_read, _TIMES.size)
    os.close(report_read)
    os.close(input_write)
    os.waitpid(pid, 0)
    if len(said) != _TIMES.size:
        sys.exit("a child could not be sealed")
    return _TIMES.unpack(said)


def main() -> None:
    """Measures."""
    _, name, count, layer_names = sys.argv
    runtime, jail, _ = prepare(name, parse_layers(layer_names), 0)
    vars(jail_module)["STEPS"] = tuple(replace(step, run=timed(place, step.run)) for place, step in enumerate(STEPS))
    seal_one(jail, runtime)  # not counted
    rounds = [seal_one(jail, runtime) for _ in range(int(count))]
    print(json.dumps({step.name: [times[place] for times in rounds] for place, step in enumerate(STEPS)}))


main()

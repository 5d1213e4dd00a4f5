"""A task by RestrictedPython and nothing else. The task comes on stdin as JSON: code, input, and what it must print.

Without an argument it is run once and its output printed: the way of a new interpreter for each task. With a number it
is run so often, compiled anew each time, and the nanoseconds are printed as a JSON array: the way of a caller that runs
what it is given in its own process.
"""

import json
import sys
import time

from RestrictedPython.compile import compile_restricted
from RestrictedPython.Eval import default_guarded_getiter
from RestrictedPython.Guards import full_write_guard, guarded_iter_unpack_sequence, safe_globals, safer_getattr

GUARDS = {
    "__name__": "task",
    "__metaclass__": type,
    "_getattr_": safer_getattr,
    "_getitem_": lambda thing, key: thing[key],
    "_getiter_": default_guarded_getiter,
    "_iter_unpack_sequence_": guarded_iter_unpack_sequence,
    "_write_": full_write_guard,
    "sorted": sorted,
    "sum": sum,
}


def run(task: dict[str, str]) -> str:
    """The output."""
    names = {**safe_globals, **GUARDS}
    exec(compile_restricted(task["code"], "task.py", "exec"), names)  # noqa: S102 -- our own program
    return json.dumps(names["main"](json.loads(task["input"])), separators=(",", ":"))


given = json.load(sys.stdin)
if len(sys.argv) == 1:
    print(run(given))
else:
    samples = []
    for number in range(-5, int(sys.argv[1])):
        started = time.perf_counter_ns()
        if run(given) != given["expected"]:
            sys.exit("a wrong output")
        if number >= 0:
            samples.append(time.perf_counter_ns() - started)
    print(samples)

"""RestrictedPython with the guards it comes with, and whole modules to import: what its documentation warns of.

Reads one JSON object, {code, input, runs}; answers like naive.py.
"""

import json
import sys
import traceback

from RestrictedPython import PrintCollector, compile_restricted, safe_builtins
from RestrictedPython.Eval import default_guarded_getitem, default_guarded_getiter
from RestrictedPython.Guards import full_write_guard, guarded_iter_unpack_sequence, safer_getattr

MODULES = (
    "collections",
    "copy",
    "dataclasses",
    "datetime",
    "functools",
    "json",
    "math",
    "operator",
    "random",
    "re",
    "typing",
)


def importer(name, *_):
    if name not in MODULES:
        raise ImportError(name)
    return __import__(name)


def main(task):
    names = {
        "__builtins__": {**safe_builtins, "__import__": importer},
        "__name__": "task",
        "__metaclass__": type,
        "_getattr_": safer_getattr,
        "_getitem_": default_guarded_getitem,
        "_getiter_": default_guarded_getiter,
        "_iter_unpack_sequence_": guarded_iter_unpack_sequence,
        "_write_": full_write_guard,
        "_print_": PrintCollector,
        "_apply_": lambda function, *arguments, **more: function(*arguments, **more),
        "_inplacevar_": lambda operator, x, y: eval(f"x {operator[:-1]} y"),
    }
    try:
        exec(compile_restricted(task["code"], "<task>", "exec"), names)
        answer = {"ok": True, "result": names["main"](task["input"])}
    except Exception:
        answer = {"ok": False, "error": traceback.format_exc()}
    print(json.dumps(answer, default=str))


if __name__ == "__main__":
    main(json.load(sys.stdin))

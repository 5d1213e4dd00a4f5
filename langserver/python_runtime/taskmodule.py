"""The module that the library takes the program for: its `__name__`, and what annotations in text may refer to.

`dataclasses` and `enum` look at `sys.modules[cls.__module__]`. There they find an empty module under the program's
name: generated code runs in its dictionary, which must not hold what the program has.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

SCRIPT: str = "__main__"
# The `__name__` of a program that binds `main`: we call it, so `if __name__ == "__main__": main()` must not.
WITH_MAIN: str = "__task__"


class _Task:
    name = SCRIPT
    names: dict[str, Any] = {}  # noqa: RUF012 -- one process, one task
    module = types.ModuleType(SCRIPT)


def enter(name: str, names: dict[str, Any]) -> types.ModuleType:
    """Makes the module of the one task of this process, whose globals are `names`."""
    module = types.ModuleType(name)
    # Also as the script: what stands there otherwise is the zygote's, and a program may call its classes' module so.
    sys.modules[name] = sys.modules[SCRIPT] = module
    _Task.name, _Task.names, _Task.module = name, names, module
    return module


def name() -> str:
    """The `__name__` of the program."""
    return _Task.name


def names() -> dict[str, Any]:
    """The globals of the program."""
    return _Task.names


@contextmanager
def showing(shown: Callable[[Any], Any]) -> Iterator[None]:
    """For a while the module has the program's globals, each as `shown` says; those it gives None for stay hidden."""
    module = vars(_Task.module)
    found = {key: shown(value) for key, value in list(_Task.names.items()) if key not in module}
    added = {key: value for key, value in found.items() if value is not None}
    module.update(added)
    try:
        yield
    finally:
        for key in added:
            module.pop(key, None)

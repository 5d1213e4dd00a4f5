"""A function of a test in a new process: it may break what it likes, and sees nothing that the tests before it began.

What they have loaded and started (threads of gRPC, above all) outlives a fork.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

_START = "import sys; from tests.runtimes.python.elsewhere import answer; answer(*sys.argv[1:])"


def in_a_process(act: Callable[[], Any]) -> Any:
    """What `act`, a function of a module, gives; it must be JSON."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _START, act.__module__, act.__name__],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def answer(module: str, name: str) -> None:
    """In the other process. Coroutines that nobody awaited say so, and `input` would wait: neither finds a stream."""
    act = getattr(importlib.import_module(module), name)
    null, answers, errors = os.open(os.devnull, os.O_RDWR), os.dup(1), os.dup(2)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    try:
        with open(answers, "w") as out:
            json.dump(act(), out)
    except BaseException:
        os.write(errors, traceback.format_exc().encode())
    finally:
        os._exit(0)

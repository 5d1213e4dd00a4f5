"""What the environment adds to Python for the commands that need no server."""

from __future__ import annotations

import os

from langserver.errors import StartError
from langserver.python_runtime.packages.names import MEANT, VARIABLE, parse_modules


def added_packages(runtime: str) -> tuple[str, ...]:
    """The operator's packages for tasks of `runtime`, as a server here would load them. Raises StartError."""
    text = os.environ.get(VARIABLE, "")
    if runtime != "python":
        return ()
    try:
        return parse_modules(text)
    except ValueError:
        raise StartError(f"{VARIABLE} is {text!r}: expected {MEANT}") from None

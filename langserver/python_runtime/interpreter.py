"""What the interpreter itself has to say of a program: as log lines, where CPython names files and opens them."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from langserver.python_runtime.logs import STDERR
from langserver.python_runtime.modules import warners
from langserver.python_runtime.names import SOURCE_NAME
from langserver.python_runtime.tracebacks import render_headed


def speak_to_log() -> None:
    """For the rest of this process, warnings and exceptions that nobody could be told of become lines of the log."""
    warnings.showwarning = _warned  # type: ignore[assignment]  # called with six arguments, by position
    sys.unraisablehook = _unraisable


def _warned(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
    """`warnings.showwarning`: a forgotten `await`, a use of what is deprecated."""
    told = message if isinstance(message, Warning) else category(message)
    warners.deliver(told, category, lineno if filename == SOURCE_NAME else 0, says_line=True)


def _unraisable(unraisable: Any) -> None:
    """`sys.unraisablehook`: an exception in a destructor. Its object is not shown: that would run code of it."""
    if unraisable.exc_value is not None:
        STDERR.write(render_headed("Exception ignored", unraisable.exc_value))

"""What the environment adds to a runtime, for the commands that need no server.

Read as settings.py reads it, which takes longer to load than a task to run.
"""

from __future__ import annotations

import importlib
import os

from langserver.core import jit
from langserver.errors import StartError
from langserver.python_runtime.packages.names import MEANT, VARIABLE, parse_modules

_JS_VARIABLE = "LANG_JS_MODULES"


def added_packages(runtime: str) -> tuple[str, ...]:
    """The operator's packages for tasks of `runtime`, as a server here would load them. Raises StartError."""
    return _of_python(os.environ.get(VARIABLE, "")) if runtime == "python" else _of_js(os.environ.get(_JS_VARIABLE, ""))


def added_jit(runtime: str) -> bool:
    """Whether the engine of `runtime` compiles, as a server here would have it. Raises StartError."""
    text = os.environ.get(jit.VARIABLE)
    if text is None:
        return False
    try:
        return jit.parse_jit(text) and runtime == "js"
    except ValueError as error:
        raise StartError(f"{jit.VARIABLE} is {text!r}: {error}") from None


def _of_python(text: str) -> tuple[str, ...]:
    try:
        return parse_modules(text)
    except ValueError:
        raise StartError(f"{VARIABLE} is {text!r}: expected {MEANT}") from None


def _of_js(text: str) -> tuple[str, ...]:
    if not text:
        return ()
    try:
        added: tuple[str, ...] = importlib.import_module("langserver.js_runtime.catalog").chosen(text)
    except ValueError as error:
        raise StartError(f"{_JS_VARIABLE} is {text!r}: {error}") from None
    return added

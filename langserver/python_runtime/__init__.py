"""The Python runtime: user code under a language policy, or as plain CPython for a reviewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langserver.python_runtime.run import PythonRuntime as PythonRuntime

__all__ = ["PythonRuntime"]


def __getattr__(name: str) -> object:
    """Loads the runtime on first use: the server reads only `catalog` and must not pay for the rest."""
    if name == "PythonRuntime":
        from langserver.python_runtime.run import PythonRuntime

        return PythonRuntime
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

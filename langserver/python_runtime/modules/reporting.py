"""`traceback`: the program's frames only, never through the library's, which opens files and shows all frames."""

from __future__ import annotations

from typing import Any

from langserver.python_runtime.logs import STDERR
from langserver.python_runtime.tracebacks import render_current, render_exception


def format_exc(limit: Any = None, chain: bool = True) -> str:
    """`traceback.format_exc`: the program's frames only."""
    return render_current()


def print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
    """`traceback.print_exc`."""
    (STDERR if file is None else file).write(render_current())


def format_exception(
    exc: Any, /, value: Any = None, tb: Any = None, limit: Any = None, chain: bool = True
) -> list[str]:
    """`traceback.format_exception`."""
    error = value if isinstance(value, BaseException) else exc
    return render_exception(error).splitlines(keepends=True)


def print_exception(exc: Any, /, value: Any = None, tb: Any = None, limit: Any = None, file: Any = None) -> None:
    """`traceback.print_exception`."""
    (STDERR if file is None else file).write("".join(format_exception(exc, value)))


def format_exception_only(exc: Any, /, value: Any = None) -> list[str]:
    """`traceback.format_exception_only`."""
    return format_exception(exc, value)[-1:]


TRACEBACK: dict[str, Any] = {
    "format_exc": format_exc,
    "format_exception": format_exception,
    "format_exception_only": format_exception_only,
    "print_exc": print_exc,
    "print_exception": print_exception,
}

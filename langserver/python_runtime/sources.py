"""The text of the one task of this process, for error texts. Nothing is ever read from a disk."""

from __future__ import annotations

import linecache
import sys
import types

from langserver.python_runtime.names import SOURCE_NAME


class _Held:
    label = "main.py"
    lines: list[str] = []  # noqa: RUF012 -- one process, one task


def hold(label: str, source: str) -> None:
    """Makes `source` the task's; `label` is shown for its file name."""
    _Held.label = label or "main.py"
    # The parser's idea of a line, not str.splitlines': form feeds and U+2028 do not end one.
    _Held.lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def label() -> str:
    """The name shown for the task's file."""
    return _Held.label


def lines() -> list[str]:
    """The task's lines without their ends."""
    return _Held.lines


def line(number: int) -> str:
    """Line `number`, counted from 1; empty if there is none."""
    return _Held.lines[number - 1] if 0 < number <= len(_Held.lines) else ""


def place_now(level: int = 1) -> tuple[int, str]:
    """Line and function of the program's code that is running: its innermost frame, or the `level`th counted outwards.

    Line 0 if there is none.
    """
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == SOURCE_NAME:
            level -= 1
            if level <= 0:
                return frame.f_lineno, frame.f_code.co_name
        frame = frame.f_back
    return 0, ""


def replace_linecache() -> None:
    """Makes the library's `linecache` know the task only: the real one opens any file a code object names."""

    def getlines(filename: str, module_globals: object = None) -> list[str]:
        return [f"{each}\n" for each in _Held.lines] if filename == SOURCE_NAME else []

    def getline(filename: str, lineno: int, module_globals: object = None) -> str:
        return f"{line(lineno)}\n" if filename == SOURCE_NAME and line(lineno) else ""

    def updatecache(filename: str, module_globals: object = None) -> list[str]:
        return getlines(filename)

    def lazycache(filename: str, module_globals: object) -> bool:
        return False

    def checkcache(filename: str | None = None) -> None:
        return None

    for function in (getlines, getline, updatecache, lazycache, checkcache):
        setattr(linecache, function.__name__, function)
    linecache.cache.clear()

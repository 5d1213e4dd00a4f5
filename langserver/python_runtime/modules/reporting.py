"""`traceback`: the program's frames only, never through the library's, which opens files and shows all frames."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any, Final, Self

from langserver.python_runtime import sources
from langserver.python_runtime.modules.printing import stderr
from langserver.python_runtime.names import SOURCE_NAME
from langserver.python_runtime.tracebacks import name_of, render_current, render_exception


class FrameSummary(tuple[Any, ...]):
    """One place in the program; unpacks into file name, line number, function and text, as the library's does."""

    __slots__ = ()

    def __new__(cls, filename: Any, lineno: Any, name: Any, *, line: Any = None, **_: Any) -> Self:
        return tuple.__new__(cls, (filename, lineno, name, line))

    filename = property(lambda self: tuple.__getitem__(self, 0))
    lineno = property(lambda self: tuple.__getitem__(self, 1))
    name = property(lambda self: tuple.__getitem__(self, 2))
    line = property(lambda self: tuple.__getitem__(self, 3))

    def __repr__(self) -> str:
        return f"<FrameSummary file {self.filename}, line {self.lineno} in {self.name}>"


class StackSummary(list[Any]):
    """A list of places."""

    def format(self) -> list[str]:
        """Their texts."""
        return format_list(self)


def _summary(code: types.CodeType, line: int) -> FrameSummary:
    return FrameSummary(sources.label(), line, code.co_name, line=sources.line(line).strip())


def _of_traceback(tb: Any) -> Iterator[FrameSummary]:
    step = tb if type(tb) is types.TracebackType else None
    while step is not None:
        if step.tb_frame.f_code.co_filename == SOURCE_NAME:
            yield _summary(step.tb_frame.f_code, step.tb_lineno)
        step = step.tb_next


def _limited(found: list[FrameSummary], limit: Any) -> StackSummary:
    if limit is None:
        return StackSummary(found)
    return StackSummary(found[:limit] if limit >= 0 else found[limit:])


def extract_tb(tb: Any, limit: Any = None) -> StackSummary:
    """`traceback.extract_tb`: the program's frames."""
    return _limited(list(_of_traceback(tb)), limit)


def extract_stack(f: Any = None, limit: Any = None) -> StackSummary:
    """`traceback.extract_stack`: the program's frames that are running, the outermost first."""
    found: list[FrameSummary] = []
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == SOURCE_NAME:
            found.append(_summary(frame.f_code, frame.f_lineno))
        frame = frame.f_back
    found.reverse()
    return _limited(found, None if limit is None else -limit)


def format_list(extracted_list: Iterable[Any]) -> list[str]:
    """`traceback.format_list`: of summaries, or of their four parts. No file is looked into for the text."""
    lines = []
    for filename, lineno, name, line in extracted_list:
        shown = f'  File "{filename}", line {lineno}, in {name}\n'
        lines.append(f"{shown}    {str(line).strip()}\n" if line else shown)
    return lines


def format_tb(tb: Any, limit: Any = None) -> list[str]:
    """`traceback.format_tb`."""
    return format_list(extract_tb(tb, limit))


def print_tb(tb: Any, limit: Any = None, file: Any = None) -> None:
    """`traceback.print_tb`."""
    _write("".join(format_tb(tb, limit)), file)


def format_stack(f: Any = None, limit: Any = None) -> list[str]:
    """`traceback.format_stack`."""
    return format_list(extract_stack(f, limit))


def format_exc(limit: Any = None, chain: bool = True) -> str:
    """`traceback.format_exc`: the program's frames only."""
    return render_current()


def print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
    """`traceback.print_exc`."""
    _write(render_current(), file)


def format_exception(
    exc: Any, /, value: Any = None, tb: Any = None, limit: Any = None, chain: bool = True
) -> list[str]:
    """`traceback.format_exception`."""
    error = value if isinstance(value, BaseException) else exc
    return render_exception(error).splitlines(keepends=True)


def print_exception(  # noqa: PLR0917 -- the library's parameters
    exc: Any, /, value: Any = None, tb: Any = None, limit: Any = None, file: Any = None, chain: bool = True
) -> None:
    """`traceback.print_exception`."""
    _write("".join(format_exception(exc, value)), file)


def format_exception_only(exc: Any, /, value: Any = None) -> list[str]:
    """`traceback.format_exception_only`."""
    return format_exception(exc, value)[-1:]


class TracebackException:
    """`traceback.TracebackException`: the texts of an exception, made at once, so that it need not be kept."""

    def __init__(self, exc_type: Any, exc_value: Any, exc_traceback: Any = None, **_: Any) -> None:
        self.exc_type_str = name_of(type(exc_value))
        self.stack = extract_tb(exc_traceback)
        self._lines = format_exception(exc_value)
        self._last = format_exception_only(exc_value)

    @classmethod
    def from_exception(cls, exc: Any, **options: Any) -> TracebackException:
        """Of an exception that was caught."""
        return cls(type(exc), exc, BaseException.__dict__["__traceback__"].__get__(exc), **options)

    def format(self, *, chain: bool = True) -> Iterator[str]:
        """The lines."""
        yield from self._lines

    def format_exception_only(self) -> Iterator[str]:
        """The last of them."""
        yield from self._last

    def __str__(self) -> str:
        return self._last[0].partition(": ")[2].rstrip("\n")


def _write(text: str, file: Any) -> None:
    (stderr() if file is None else file).write(text)


def clear_frames(tb: Any) -> None:
    """`traceback.clear_frames`: the frames go with the task."""


TRACEBACK: Final[dict[str, Any]] = {
    each.__name__: each
    for each in (
        FrameSummary,
        StackSummary,
        TracebackException,
        clear_frames,
        extract_stack,
        extract_tb,
        format_exc,
        format_exception,
        format_exception_only,
        format_list,
        format_stack,
        format_tb,
        print_exc,
        print_exception,
        print_tb,
    )
}

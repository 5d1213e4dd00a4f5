"""An uncaught error of a program as a Failure: refused, out of memory, or the program's own."""

from __future__ import annotations

from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.js_runtime.absent import refusal, unavailable
from langserver.js_runtime.excerpt import line_count, pointed, source_line
from langserver.js_runtime.hints import hint
from langserver.js_runtime.thrown import Frame, Place, Thrown

OUT_OF_MEMORY = Failure(ErrorKind.MEMORY_LIMIT, "out of memory")
_REFUSED_BUFFER = frozenset({"Array buffer allocation failed", "ArrayBuffer.prototype.resize: Out of memory"})
_INDENT = " " * 8


def program_failure(thrown: Thrown, place: Place) -> Failure:
    """The Failure of an uncaught error: refused, out of memory, or the program's own."""
    frames = _users(thrown, place)
    line, column = (frames[0].line, frames[0].column) if frames else (0, 0)
    traceback = _traceback(thrown, place)
    if thrown.type == "RangeError" and thrown.message in _REFUSED_BUFFER:
        return Failure(
            ErrorKind.MEMORY_LIMIT, "out of memory: an array buffer was refused", "RangeError", traceback, line, column
        )
    refused = refusal(thrown.type, thrown.message, place.source, place.modules)
    if refused:
        what, why = refused
        return Failure(ErrorKind.POLICY_VIOLATION, unavailable(what, why), thrown.type, traceback, line, column, why)
    return Failure(
        ErrorKind.USER_ERROR,
        thrown.message or thrown.type or "an empty error",
        thrown.type,
        traceback,
        line,
        column,
        hint(thrown, place.source, line, column),
    )


def _users(thrown: Thrown, place: Place) -> list[Frame]:
    last = line_count(place.source)
    return [frame for frame in thrown.frames if 1 <= frame.line <= last]


def _traceback(thrown: Thrown, place: Place) -> str:
    """As Node prints it, but with the source line under the first frame."""
    lines = [f"{thrown.type}: {thrown.message}" if thrown.type and thrown.message else thrown.type or thrown.message]
    for number, frame in enumerate(_users(thrown, place)):
        where = f"{place.label}:{frame.line}:{frame.column}"
        lines.append(f"    at {frame.function} ({where})" if frame.function else f"    at {where}")
        if not number:
            lines += [f"{_INDENT}{part}" for part in _shown(frame, place).split("\n")]
    if thrown.properties:
        lines.append(f"    {thrown.properties}")
    if thrown.cause:
        lines.append("Caused by: " + _traceback(thrown.cause, place))
    return "\n".join(lines)


def _shown(frame: Frame, place: Place) -> str:
    line = source_line(place.source, frame.line) or ""
    bare = line.lstrip()
    return pointed(bare, max(1, frame.column - (len(line) - len(bare))))

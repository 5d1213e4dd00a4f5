"""What V8 and the prelude say of an error, as a Failure for the author."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.js_runtime.absent import NO_MODULES, refusal, unavailable

BODY_LINES_BEFORE = 2  # the lines that V8 puts before the text of a function made by a constructor
OUT_OF_MEMORY = Failure(ErrorKind.MEMORY_LIMIT, "out of memory")
_REFUSED_BUFFER = frozenset({"Array buffer allocation failed", "ArrayBuffer.prototype.resize: Out of memory"})
IMPORT_SYNTAX = "Cannot use import statement outside a module"
MODULE_SYNTAX = frozenset(
    {
        IMPORT_SYNTAX,
        "Cannot use 'import.meta' outside a module",
        "Unexpected token 'export'",
    }
)
# What V8 says of a script when it meets what a body may have.
ONLY_IN_BODIES = frozenset(
    {
        "Illegal return statement",
        "await is only valid in async functions and the top level bodies of modules",
        "Unexpected reserved word",  # for await
    }
)

_INTERNAL_LABEL = "task.js"  # the sourceURL of every user source: V8's frames carry it
_SHOWN_LINE = 200
_REPORT = re.compile(r"(?s)([^\n]*?):(\d+): (.*)")
_TYPE = re.compile(r"(?s)([A-Za-z_$][\w$]*): (.*)")
_FRAME = re.compile(r"    at (?:(.{1,200}?) \()?task\.js:(\d+):(\d+)\)?")
_CONSTRUCTED = re.compile(r"new\s+([A-Za-z_$][\w$]*)")
_UNNAMED = re.compile(r"\[object (\w{1,100})\]")  # what an object is as a text, unless it says otherwise
_NO_ERROR = "an object was thrown that is no Error"
_UNCAUGHT_ERROR = re.compile(r"[A-Z]\w*Error(?:: |$)")


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in the user's source; line and column count from 1, 0 is unknown."""

    function: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Complaint:
    """A syntax error as V8 tells it: `excerpt` is the source line and the carets below it."""

    message: str
    line: int = 0
    column: int = 0
    excerpt: str = ""


TOO_DEEP = Complaint("the source is nested too deeply")
STACK_OVERFLOW = "Maximum call stack size exceeded"  # V8's complaint when its parser's stack ran out


@dataclass(frozen=True, slots=True)
class Thrown:
    """What a program threw and did not catch; `properties` is what it had put on its error, as `{ code: 42 }`."""

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    cause: Thrown | None = None
    properties: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """The source as its author knows it: the label for frames, and how many lines V8 counts too many."""

    label: str
    source: str
    lines_before: int = 0


def complaint(report: bytes, lines_before: int = 0) -> Complaint:
    """Reads V8's report of a text that does not parse: `<name>:LINE: message`, the line, carets, an empty line."""
    text = report.decode("utf-8", "replace")
    found = _REPORT.match(text)
    if not found:
        return Complaint("the source does not parse")
    message, _, rest = found[3].partition("\n")
    line, _, rest = rest.partition("\n")
    carets = rest.partition("\n")[0]
    column = carets.find("^") + 1
    return Complaint(
        message.removeprefix("SyntaxError: "), max(0, int(found[2]) - lines_before), column, _excerpt(line, column)
    )


def thrown_by_script(report: bytes) -> Thrown:
    """Reads V8's report of what the top level of a script threw: as of a complaint, then the error's own stack."""
    text = report.decode("utf-8", "replace")
    found = _REPORT.match(text)
    if not found:
        return Thrown("", "the program threw a value that cannot be described")
    rest = found[3]
    stack, header = _stack(rest)
    frames = tuple(_frame(match) for match in map(_FRAME.fullmatch, stack.split("\n")) if match)
    if header is None:
        header, _, after = rest.partition("\n")
        line = after.partition("\n")[0]
        if header == "<string conversion failed>":
            header = "the program threw a value that cannot be described"
        if not frames and found[1] == _INTERNAL_LABEL:
            column = after.partition("\n")[2].partition("\n")[0].find("^") + 1
            frames = (Frame("", int(found[2]), column),)
        if unnamed := _UNNAMED.fullmatch(header):
            # V8 has made a text of it, and of all that was in it this is left.
            return Thrown(unnamed[1], f"{_NO_ERROR}: {line.strip()[:_SHOWN_LINE]}", frames)
        if not _UNCAUGHT_ERROR.match(header):
            return Thrown("", header, frames)
    named = _TYPE.fullmatch(header)
    return Thrown(named[1], named[2], frames) if named else Thrown(header, "", frames)


def _stack(rest: str) -> tuple[str, str | None]:
    """The error's stack and its first lines, which repeat how the report begins; ("", None) when there is no such."""
    at = rest.find("\n\n")
    while at >= 0:
        stack = rest[at + 2 :]
        header = stack.partition("\n    at ")[0].rstrip("\n")
        if header and rest.startswith(header):
            return stack, header
        at = rest.find("\n\n", at + 1)
    return "", None


def with_class_name(thrown: Thrown, source: str) -> Thrown:
    """Gives an error of a script's top level its class for a type, when the class kept the name of Error.

    V8's report has no word of the class. But the first frame of an error is where it was made, past its constructors,
    and there the source says `new Class`.
    """
    lines = source.split("\n")
    if thrown.type != "Error" or not thrown.frames or not 1 <= thrown.frames[0].line <= len(lines):
        return thrown
    frame = thrown.frames[0]
    made = _CONSTRUCTED.match(lines[frame.line - 1], max(0, frame.column - 1))
    if made and re.search(rf"\bclass\s+{re.escape(made[1])}\s+extends\b", source):
        return replace(thrown, type=made[1])
    return thrown


def thrown_by_program(description: bytes) -> Thrown:
    """Reads the JSON of `describe` in prelude/errors.js. Raises ValueError or KeyError on anything else."""
    return _described(json.loads(description))


def _described(value: dict[str, object]) -> Thrown:
    frames = value["frames"]
    if isinstance(frames, str):  # a stack that the program had made a text of
        places = tuple(_frame(match) for match in map(_FRAME.fullmatch, frames.split("\n")) if match)
    else:
        assert isinstance(frames, list)
        places = tuple(Frame(_function(str(name)), int(line), int(column)) for name, line, column in frames)
    cause = value.get("cause")
    return Thrown(
        str(value["type"]),
        str(value["message"]),
        places,
        _described(cause) if isinstance(cause, dict) else None,
        str(value.get("properties", "")),
    )


def _frame(match: re.Match[str]) -> Frame:
    return Frame(_function(match[1] or ""), int(match[2]), int(match[3]))


def _function(name: str) -> str:
    return "" if name == "eval" else name  # V8's name for the top level of a text given to a constructor


def at_end(source: str) -> Complaint:
    """The complaint about a source that ends too early."""
    last = source.rpartition("\n")[2]
    return Complaint("Unexpected end of input", source.count("\n") + 1, len(last) + 1, _excerpt(last, len(last) + 1))


def syntax_failure(problem: Complaint, label: str) -> Failure:
    """The Failure of a source that does not parse."""
    return Failure(
        ErrorKind.SYNTAX_ERROR,
        problem.message,
        "SyntaxError",
        _syntax_traceback(problem, label),
        problem.line,
        problem.column,
    )


def module_syntax_failure(problem: Complaint, label: str, module: str | None) -> Failure:
    """The refusal of import and export: good JavaScript elsewhere, so no syntax error. `module` is the one imported."""
    if "export" in problem.message:
        what, instead = "export", "write `function main(inputs) { ... }` or `module.exports = ...` instead of an export"
    else:
        what, instead = f'import of "{module}"' if module else "import", NO_MODULES
    return Failure(
        ErrorKind.POLICY_VIOLATION,
        unavailable(what, "the source runs as a script, not as a module"),
        "SyntaxError",
        _syntax_traceback(problem, label),
        problem.line,
        problem.column,
        instead,
    )


def _syntax_traceback(problem: Complaint, label: str) -> str:
    where = f"{label}:{problem.line}:{problem.column}" if problem.line else label
    return f"SyntaxError: {problem.message}\n    at {where}\n{problem.excerpt}".rstrip("\n")


def program_failure(thrown: Thrown, place: Place) -> Failure:
    """The Failure of an uncaught error: refused, out of memory, or the program's own."""
    frames = _users(thrown, place)
    line, column = (frames[0].line, frames[0].column) if frames else (0, 0)
    traceback = _traceback(thrown, place)
    if thrown.type == "RangeError" and thrown.message in _REFUSED_BUFFER:
        return Failure(
            ErrorKind.MEMORY_LIMIT, "out of memory: an array buffer was refused", "RangeError", traceback, line, column
        )
    refused = refusal(thrown.type, thrown.message, place.source)
    if refused:
        what, why = refused
        return Failure(ErrorKind.POLICY_VIOLATION, unavailable(what, why), thrown.type, traceback, line, column, why)
    return Failure(
        ErrorKind.USER_ERROR, thrown.message or thrown.type or "an empty error", thrown.type, traceback, line, column
    )


def _users(thrown: Thrown, place: Place) -> list[Frame]:
    last = place.source.count("\n") + 1
    moved = (Frame(f.function, f.line - place.lines_before, f.column) for f in thrown.frames)
    return [frame for frame in moved if 1 <= frame.line <= last]


def _traceback(thrown: Thrown, place: Place) -> str:
    lines = [f"{thrown.type}: {thrown.message}" if thrown.type and thrown.message else thrown.type or thrown.message]
    for frame in _users(thrown, place):
        where = f"{place.label}:{frame.line}:{frame.column}"
        lines.append(f"    at {frame.function} ({where})" if frame.function else f"    at {where}")
    if thrown.properties:
        lines.append(f"    {thrown.properties}")
    if thrown.cause:
        lines.append("Caused by: " + _traceback(thrown.cause, place))
    return "\n".join(lines)


def _excerpt(line: str, column: int) -> str:
    start = max(0, column - 1 - _SHOWN_LINE // 2)
    shown = line[start : start + _SHOWN_LINE]
    return f"{shown}\n{' ' * (column - 1 - start)}^" if column else shown

"""Exceptions of a program as failures: of what kind, what they say, where, and what to write instead."""

from __future__ import annotations

import errno

from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.python_runtime import sources
from langserver.python_runtime.hints import hint_of, hint_of_syntax
from langserver.python_runtime.problems import Problem
from langserver.python_runtime.refusals import Refusal
from langserver.python_runtime.tracebacks import (
    MESSAGE_CHARACTERS,
    Place,
    frames_of,
    members_of,
    name_of,
    places,
    render_exception,
    render_syntax,
    text_of,
    traceback_of,
)
from langserver.sandbox.audit import AuditRefusal


def failure_of(error: BaseException) -> Failure:
    """What an uncaught exception of the program is reported as."""
    found = _places_of_any(error)
    line = found[-1].line if found else 0
    offset = found[-1].column if found else None
    kind, hint = ErrorKind.USER_ERROR, ""
    cls = type(error)  # isinstance would ask the object for its __class__
    if issubclass(cls, Refusal):
        kind, hint = ErrorKind.POLICY_VIOLATION, _hint_of(error)
    elif issubclass(cls, AuditRefusal) or _kernel_refused(error):
        kind, hint = ErrorKind.SANDBOX_VIOLATION, _without_files(error)
    else:
        hint = _guess(error)
    return Failure(
        kind,
        message=text_of(error) or name_of(type(error)),
        type=name_of(type(error)),
        traceback=render_exception(error),
        line=line,
        column=0 if offset is None else column_of(line, offset),
        hint=hint,
    )


def _places_of_any(error: BaseException) -> list[Place]:
    """The places of `error`; a group that `except*` made has none of its own, but its members do."""
    found = places(error)
    members = () if found else members_of(error) or ()
    return found or next((inner for inner in map(_places_of_any, members) if inner), [])


def column_of(line: int, offset: int) -> int:
    """The column in characters, counted from 1, of a byte `offset` in line `line` of the source."""
    return len(sources.line(line).encode("utf-8", "replace")[:offset].decode("utf-8", "replace")) + 1


def _guess(error: BaseException) -> str:
    try:
        return hint_of(error)
    except MemoryError:
        raise
    except BaseException:  # noqa: BLE001 -- looking at the program's keys and names may run code of it
        return ""


def _hint_of(error: BaseException) -> str:
    hint = getattr(error, "hint", "")
    return hint if type(hint) is str else ""  # the program may have assigned another


def _without_files(error: BaseException) -> str:
    """What to do without the file that an operator's package wanted, if that is what was refused."""
    path = OSError.__dict__["filename"].__get__(error)
    if type(path) in (str, bytes) or text_of(error).endswith(" open"):
        return "there are no files here: read from io.StringIO or io.BytesIO; to_csv() without a path returns the text"
    return ""


def _kernel_refused(error: BaseException) -> bool:
    """Whether the kernel refused a system call: C code raised the error, and no `raise` of the program."""
    if not issubclass(type(error), PermissionError):
        return False
    if OSError.__dict__["errno"].__get__(error) not in {errno.EPERM, errno.EACCES}:
        return False
    return not _raised_by_program(error)


def _raised_by_program(error: BaseException) -> bool:
    """Whether the innermost frame is the program's and stood at a `raise` statement."""
    last = None
    step = traceback_of(error)
    while step is not None:
        last, step = step, step.tb_next
    if last is None or all(last is not each for _, each in frames_of(error)):
        return False
    return last.tb_frame.f_code.co_code[last.tb_lasti] in _RAISING


def _raising() -> frozenset[int]:
    import opcode

    return frozenset(opcode.opmap[name] for name in ("RAISE_VARARGS", "RERAISE") if name in opcode.opmap)


_RAISING = _raising()


def failure_of_problem(problem: Problem) -> Failure:
    """What a problem found before the program runs is reported as."""
    name = problem.error or "PolicyViolation"
    return Failure(
        ErrorKind.USER_ERROR if problem.error else ErrorKind.POLICY_VIOLATION,
        message=problem.message,
        type=name,
        traceback=render_syntax(
            name,
            problem.message,
            (problem.line, problem.column),
            (problem.end_line, problem.end_column),
        ),
        line=problem.line,
        column=problem.column,
        hint=problem.hint,
    )


def failure_of_syntax(error: SyntaxError) -> Failure:
    """What source that does not compile is reported as."""
    line, column = error.lineno or 0, max(error.offset or 0, 0)
    end_line, end_column = error.end_lineno or line, max(error.end_offset or 0, 0)
    name, message = type(error).__name__, str(error.msg)[:MESSAGE_CHARACTERS]
    return Failure(
        ErrorKind.SYNTAX_ERROR,
        message,
        type=name,
        traceback=render_syntax(name, message, (line, column), (end_line, end_column)),
        line=line,
        column=column,
        hint=hint_of_syntax(message, line),
    )

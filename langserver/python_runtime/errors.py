"""Exceptions of a program as failures: what they say, where, and a traceback of the program's frames only."""

from __future__ import annotations

import errno
import sys
import types
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.python_runtime import catalog, sources
from langserver.python_runtime.names import SOURCE_NAME
from langserver.python_runtime.problems import Problem
from langserver.python_runtime.refusals import Refusal
from langserver.sandbox.audit import AuditRefusal

MESSAGE_CHARACTERS = 4000
_FRAMES_SHOWN = 40
_CHAIN_SHOWN = 8

_MODULE_HINTS = frozenset("json re math datetime random time collections itertools functools statistics base64".split())
_LEAVING = frozenset({"exit", "quit"})


def name_of(kind: type) -> str:
    """The name of a class, whatever its metaclass says."""
    name: str = type.__dict__["__name__"].__get__(kind)
    return name


def text_of(error: BaseException) -> str:
    """`str(error)`, cut; an error whose own `__str__` fails is described by that."""
    try:
        text = str(error)
        return str.__str__(text)[:MESSAGE_CHARACTERS]
    except MemoryError:
        raise
    except BaseException as inner:  # noqa: BLE001 -- an exception of the program may raise anything
        return f"<this exception's text could not be made: {name_of(type(inner))}>"


def places(error: BaseException) -> list[tuple[int, str]]:
    """Line and function name of each of the program's frames, outermost first."""
    found: list[tuple[int, str]] = []
    step = _traceback(error)
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename == SOURCE_NAME:
            found.append((step.tb_lineno, code.co_name))
        step = step.tb_next
    return found


def _traceback(error: BaseException) -> types.TracebackType | None:
    found: types.TracebackType | None = BaseException.__dict__["__traceback__"].__get__(error)
    return found


def _linked(error: BaseException) -> tuple[BaseException | None, str]:
    cause = BaseException.__dict__["__cause__"].__get__(error)
    if cause is not None:
        return cause, "\nThe above exception was the direct cause of the following exception:\n\n"
    if BaseException.__dict__["__suppress_context__"].__get__(error):
        return None, ""
    context = BaseException.__dict__["__context__"].__get__(error)
    return context, "\nDuring handling of the above exception, another exception occurred:\n\n"


def render_exception(error: BaseException) -> str:
    """The traceback text as CPython prints it, without frames of ours and with the caller's label for the file."""
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(seen) < _CHAIN_SHOWN:
        seen.add(id(current))
        linked, words = _linked(current)
        parts.append(_render_one(current))
        if linked is None or id(linked) in seen:
            break
        parts.append(words)
        current = linked
    return "".join(reversed(parts))


def _render_one(error: BaseException) -> str:
    text = text_of(error)
    lines = [*_frames(error), f"{name_of(type(error))}: {text}\n" if text else f"{name_of(type(error))}\n"]
    lines += [f"  | {name_of(type(each))}: {text_of(each)}\n" for each in _members(error)]
    return "".join(lines)


def _frames(error: BaseException) -> list[str]:
    found = places(error)
    lines = ["Traceback (most recent call last):\n"] if found else []
    left_out = len(found) - _FRAMES_SHOWN
    for index, (line, name) in enumerate(found):
        if left_out > 0 and _FRAMES_SHOWN // 2 <= index < _FRAMES_SHOWN // 2 + left_out:
            if index == _FRAMES_SHOWN // 2:
                lines.append(f"  ... {left_out} more frames ...\n")
            continue
        lines.append(f'  File "{sources.label()}", line {line}, in {name}\n')
        text = sources.line(line).strip()
        if text:
            lines.append(f"    {text}\n")
    return lines


def render_headed(heading: str, error: BaseException) -> str:
    """One line of `heading` and `error`, then the program's frames."""
    return "".join([f"{heading}: {name_of(type(error))}: {text_of(error)}".rstrip(": ") + "\n", *_frames(error)])


def _members(error: BaseException) -> Iterator[BaseException]:
    if issubclass(type(error), BaseExceptionGroup):
        yield from BaseExceptionGroup.__dict__["exceptions"].__get__(error)[:_CHAIN_SHOWN]


def render_current() -> str:
    """The traceback text of the exception being handled, `NoneType: None` without one."""
    error = sys.exception()
    return "NoneType: None\n" if error is None else render_exception(error)


def failure_of(error: BaseException) -> Failure:
    """What an uncaught exception of the program is reported as."""
    found = places(error)
    line = found[-1][0] if found else 0
    kind, hint = ErrorKind.USER_ERROR, ""
    cls = type(error)  # isinstance would ask the object for its __class__
    if issubclass(cls, Refusal):
        kind, hint = ErrorKind.POLICY_VIOLATION, _hint_of(error)
    elif issubclass(cls, AuditRefusal) or _kernel_refused(error):
        kind = ErrorKind.SANDBOX_VIOLATION
    elif issubclass(cls, NameError):
        hint = _name_hint(error)
    return Failure(
        kind,
        message=text_of(error) or name_of(type(error)),
        type=name_of(type(error)),
        traceback=render_exception(error),
        line=line,
        hint=hint,
    )


def _hint_of(error: BaseException) -> str:
    hint = getattr(error, "hint", "")
    return hint if type(hint) is str else ""  # the program may have assigned another


def _kernel_refused(error: BaseException) -> bool:
    if not issubclass(type(error), PermissionError):
        return False
    return OSError.__dict__["errno"].__get__(error) in {errno.EPERM, errno.EACCES}


def _name_hint(error: BaseException) -> str:
    missing: Any = NameError.__dict__["name"].__get__(error)
    if not isinstance(missing, str):
        return ""
    if missing in _MODULE_HINTS:
        return f"add `import {missing}` at the top"
    if missing in _LEAVING:
        return "use return, or raise an exception"
    step, names = _traceback(error), dict[str, None]()
    while step is not None:
        frame = step.tb_frame
        if frame.f_code.co_filename == SOURCE_NAME:
            names = dict.fromkeys([*frame.f_locals, *frame.f_globals, *frame.f_builtins])
        step = step.tb_next
    # Of the builtins those that can be used: no hidden ones, and none that only refuse.
    usable = [name for name in names if name.isidentifier() and not name.startswith("__")]
    close = get_close_matches(missing, [name for name in usable if name not in catalog.REFUSED_BUILTINS][:2000], n=1)
    return f"did you mean {close[0]!r}?" if close else ""


def failure_of_problem(problem: Problem) -> Failure:
    """What a refusal at compile time is reported as."""
    text = sources.line(problem.line)
    shown = text.strip()
    caret = " " * max(0, problem.column - 1 - (len(text) - len(text.lstrip()))) + "^"
    return Failure(
        ErrorKind.POLICY_VIOLATION,
        message=problem.message,
        type="PolicyViolation",
        traceback=f'  File "{sources.label()}", line {problem.line}\n    {shown}\n    {caret}\n{problem.message}\n',
        line=problem.line,
        column=problem.column,
        hint=problem.hint,
    )


def failure_of_syntax(error: SyntaxError) -> Failure:
    """What source that does not compile is reported as."""
    line, column = error.lineno or 0, max(error.offset or 0, 0)
    text = sources.line(line)
    shown = text.strip()[:200]
    indent = len(text) - len(text.lstrip())
    caret = " " * min(max(0, column - 1 - indent), len(shown)) + "^"
    message = str(error.msg)[:MESSAGE_CHARACTERS]
    traceback = f'  File "{sources.label()}", line {line}\n' if line else f'  File "{sources.label()}"\n'
    if shown:
        traceback += f"    {shown}\n    {caret}\n"
    name = type(error).__name__
    return Failure(
        ErrorKind.SYNTAX_ERROR,
        message,
        type=name,
        traceback=f"{traceback}{name}: {message}\n",
        line=line,
        column=column,
    )

"""Syntax errors: what V8 says of a text that does not parse, and the Failure for its author."""

from __future__ import annotations

import re
from typing import Protocol

from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.js_runtime.excerpt import line_count, pointed, source_line
from langserver.js_runtime.hints import syntax_hint
from langserver.js_runtime.parsed import Complaint

BODY_LINES_BEFORE = 2  # the lines that V8 puts before the text of a function made by a constructor
STACK_OVERFLOW = "Maximum call stack size exceeded"  # V8's complaint when its parser's stack ran out
_TOO_DEEP = "the source is nested too deeply"

_MODULE_SYNTAX = frozenset(
    {
        "Cannot use import statement outside a module",
        "Cannot use 'import.meta' outside a module",
        "Unexpected token 'export'",
    }
)
# What V8 says of a script when it meets what a body may have.
_RETURN = "Illegal return statement"
_ONLY_IN_BODIES = frozenset(
    {
        _RETURN,
        "await is only valid in async functions and the top level bodies of modules",
        "Unexpected reserved word",  # for await
        "new.target expression is not allowed here",
    }
)
END = "Unexpected end of input"
_REPORT = re.compile(r"(?s)[^\n]*?:(\d+): (?:SyntaxError: )?([^\n]*)\n?([^\n]*)\n?([^\n]*)")


class Text(Protocol):
    """A source and what its author calls it."""

    @property
    def source(self) -> str: ...

    @property
    def label(self) -> str: ...


def is_module(message: str) -> bool:
    """Whether V8 complains of what only a module may have."""
    return message in _MODULE_SYNTAX


def only_in_bodies(message: str) -> bool:
    """Whether V8 complains of what a body may have and a script may not."""
    return message in _ONLY_IN_BODIES


def may_only_await(message: str) -> bool:
    """Whether V8 complains of a script that may have a top-level await, and of no return or module syntax."""
    return message != _RETURN and not is_module(message)


def complaint(report: bytes, lines_before: int = 0) -> Complaint:
    """Reads V8's report of a text that does not parse: `<name>:LINE: message`, the line, carets, an empty line."""
    found = _REPORT.match(report.decode("utf-8", "replace"))
    if not found:
        return Complaint("the source does not parse")
    return Complaint(found[2], max(0, int(found[1]) - lines_before), found[4].find("^") + 1)


def syntax_failure(problem: Complaint, program: Text) -> Failure:
    """The Failure of a source that does not parse."""
    message, line, column = problem.message, problem.line, problem.column
    if message == STACK_OVERFLOW:
        message = _TOO_DEEP
    lines = line_count(program.source)
    if line > lines or (message == END and line == lines):
        line = lines
        column = _units(source_line(program.source, line) or "") + 1
    hint = syntax_hint(message, program.source, line, column)
    return refused_text(ErrorKind.SYNTAX_ERROR, Complaint(message, line, column), program, hint)


def refused_text(kind: ErrorKind, problem: Complaint, program: Text, hint: str) -> Failure:
    """The Failure of a source that is refused before it runs, with its line and a caret."""
    line, column = problem.line, problem.column
    name = "SyntaxError" if kind is ErrorKind.SYNTAX_ERROR else "PolicyViolation"
    traceback = f"{name}: {problem.message}\n    at {program.label}"
    if line:
        traceback += f":{line}:{column}\n{pointed(source_line(program.source, line) or '', column)}"
    return Failure(kind, problem.message, name, traceback, line, column, hint)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2

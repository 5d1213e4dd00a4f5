"""From source to code: parse, check and rewrite, compile, with every failure kept inside the program."""

from __future__ import annotations

import ast
import gc
import sys
import time
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.python_runtime import sources, taskmodule, toplevel
from langserver.python_runtime.errors import failure_of_problem, failure_of_syntax
from langserver.python_runtime.forecast import forecast
from langserver.python_runtime.names import SOURCE_NAME
from langserver.python_runtime.policy import Policy

# How deep the interpreter's own compiler may go: three times what programs get, measured to fit a stack of 2 MiB.
_COMPILER_RECURSION = 3_000
# The visitor takes several Python frames for each level of the tree; those need no C stack.
_VISITOR_RECURSION = 20_000
_TOO_DEEP = "the code is nested too deeply or an expression is too long: split it into smaller parts"


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled task. Without failures there is code; `wrapped`: its body is one function (see `toplevel`).

    `name` is its `__name__` (see `taskmodule`).
    """

    code: types.CodeType | None
    failures: tuple[Failure, ...]
    imports: tuple[str, ...]
    wrapped: bool
    name: str
    compile_ns: int


def compile_source(label: str, source: str, policy: bool, ahead: bool = False) -> Program:
    """Compiles the one task of this process; `label` is its file name in error texts.

    With `ahead`, what will surely be refused when it runs is a failure too.
    """
    start = time.perf_counter_ns()
    sources.hold(label, source)
    draft = _Draft()
    failures: tuple[Failure, ...] = ()
    try:
        with _recursion(_COMPILER_RECURSION), _no_collection(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nobody could be told yet, and printing one would open files
            failures = draft.fill(source, policy, ahead)
    except SyntaxError as error:
        failures = (failure_of_syntax(error),)
    except (RecursionError, MemoryError):
        failures = (Failure(ErrorKind.SYNTAX_ERROR, _TOO_DEEP, type="SyntaxError"),)
    spent = time.perf_counter_ns() - start
    return Program(draft.code, failures, tuple(draft.imports), draft.wrapped, draft.name, spent)


class _Draft:
    """What is known of a program when its compilation ends or fails."""

    def __init__(self) -> None:
        self.code: types.CodeType | None = None
        self.wrapped = False
        self.name = taskmodule.SCRIPT
        self.imports: dict[str, None] = {}

    def fill(self, source: str, policy: bool, ahead: bool) -> tuple[Failure, ...]:
        """Compiles; returns what the policy has against it. Raises SyntaxError, RecursionError, MemoryError."""
        tree = _parsed(source)
        flags = toplevel.take_future(tree)
        if toplevel.binds_main(tree, source):
            self.name = taskmodule.WITH_MAIN
        if policy:
            visitor = Policy(sources.lines())
            with _recursion(_VISITOR_RECURSION):
                visitor.refuse_unknown(tree)
                if ahead:  # before the visitor rewrites the tree
                    forecast(tree, visitor.refuse_ahead)
                tree = visitor.visit(tree)
            self.imports |= visitor.imports
            if visitor.problems:
                failures = [failure_of_problem(problem) for problem in visitor.problems]
                if ahead:
                    failures += _misplaced(source)
                return tuple(sorted(failures, key=lambda each: (each.line, each.column)))
        else:
            self.imports |= dict.fromkeys(_plain_imports(tree))
        self.wrapped = toplevel.wrap(tree, source)
        self.code = _compiled(tree, flags)
        return ()


def _misplaced(source: str) -> list[Failure]:
    """What parses and yet cannot be compiled, as a `break` outside a loop: the compiler says the first."""
    try:
        tree = _parsed(source)
        flags = toplevel.take_future(tree)
        toplevel.wrap(tree, source)
        _compiled(tree, flags)
    except SyntaxError as error:
        return [failure_of_syntax(error)]
    except RecursionError:
        pass  # what was found already says more than that
    return []


def _parsed(source: str) -> ast.Module:
    nul = source.find("\0")
    if nul >= 0:
        before = source[:nul]
        column = nul - (before.rfind("\n") + 1) + 1
        raise SyntaxError("the code contains a NUL character", (None, before.count("\n") + 1, column, None))
    try:
        return ast.parse(source.removeprefix("\ufeff"), SOURCE_NAME)
    except UnicodeEncodeError as error:
        raise _lone_surrogate("the code", source.count("\n", 0, error.start) + 1) from None


def _compiled(tree: ast.Module, flags: int) -> types.CodeType:
    try:
        code: types.CodeType = compile(tree, SOURCE_NAME, "exec", flags=flags, dont_inherit=True)
    except UnicodeEncodeError:  # CPython 3.13 takes the indentation off docstrings, and reads them as UTF-8 for it
        raise _lone_surrogate("a docstring", _docstring_that_is_no_text(tree)) from None
    return code


def _lone_surrogate(what: str, line: int) -> SyntaxError:
    return SyntaxError(f"{what} contains a lone surrogate: it is no Unicode text", (None, line, 1, None))


def _docstring_that_is_no_text(tree: ast.Module) -> int:
    """The line of the first docstring that has no UTF-8."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node, clean=False) or ""
            if any("\ud800" <= character <= "\udfff" for character in text):
                return node.body[0].lineno
    return 0


def _plain_imports(tree: ast.Module) -> list[str]:
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append("." * node.level + (node.module or ""))
    return found


@contextmanager
def _no_collection() -> Iterator[None]:
    """A tree of a million nodes has no cycles; looking for some while it grows takes most of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _recursion(limit: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)

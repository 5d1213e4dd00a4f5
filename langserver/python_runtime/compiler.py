"""From source to code: parse, check and rewrite, compile, with every failure kept inside the program."""

from __future__ import annotations

import ast
import sys
import time
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.python_runtime import sources, toplevel
from langserver.python_runtime.errors import failure_of_problem, failure_of_syntax
from langserver.python_runtime.names import SOURCE_NAME
from langserver.python_runtime.policy import Policy

# How deep the interpreter's own compiler may go: three times what programs get, measured to fit a stack of 2 MiB.
_COMPILER_RECURSION = 3_000
# The visitor takes several Python frames for each level of the tree; those need no C stack.
_VISITOR_RECURSION = 20_000
_TOO_DEEP = "the code is nested too deeply or an expression is too long: split it into smaller parts"


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled task. Without failures there is code; `wrapped`: its body is one function (see `toplevel`)."""

    code: types.CodeType | None
    failures: tuple[Failure, ...]
    imports: tuple[str, ...]
    wrapped: bool
    compile_ns: int


def compile_source(label: str, source: str, policy: bool) -> Program:
    """Compiles the one task of this process; `label` is its file name in error texts."""
    start = time.perf_counter_ns()
    sources.hold(label, source)
    imports: dict[str, None] = {}
    failures: tuple[Failure, ...] = ()
    code, wrapped = None, False
    try:
        with _recursion(_COMPILER_RECURSION):
            code, wrapped, failures = _compile(source, policy, imports)
    except SyntaxError as error:
        failures = (failure_of_syntax(error),)
    except (RecursionError, MemoryError):
        failures = (Failure(ErrorKind.SYNTAX_ERROR, _TOO_DEEP, type="SyntaxError"),)
    except UnicodeEncodeError as error:
        place = source.count("\n", 0, error.start) + 1
        problem = SyntaxError("the code contains a lone surrogate", (None, place, 1, None))
        failures = (failure_of_syntax(problem),)
    return Program(code, failures, tuple(imports), wrapped, time.perf_counter_ns() - start)


def _compile(
    source: str, policy: bool, imports: dict[str, None]
) -> tuple[types.CodeType | None, bool, tuple[Failure, ...]]:
    nul = source.find("\0")
    if nul >= 0:
        before = source[:nul]
        column = nul - (before.rfind("\n") + 1) + 1
        raise SyntaxError("the code contains a NUL character", (None, before.count("\n") + 1, column, None))
    tree = ast.parse(source.removeprefix("\ufeff"), SOURCE_NAME)
    flags = toplevel.take_future(tree)
    if policy:
        visitor = Policy(sources.lines())
        with _recursion(_VISITOR_RECURSION):
            tree = visitor.visit(tree)
        imports |= visitor.imports
        if visitor.problems:
            return None, False, tuple(failure_of_problem(problem) for problem in visitor.problems)
    else:
        imports |= dict.fromkeys(_plain_imports(tree))
    wrapped = toplevel.wrap(tree)
    return compile(tree, SOURCE_NAME, "exec", flags=flags, dont_inherit=True), wrapped, ()


def _plain_imports(tree: ast.Module) -> list[str]:
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append("." * node.level + (node.module or ""))
    return found


@contextmanager
def _recursion(limit: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)

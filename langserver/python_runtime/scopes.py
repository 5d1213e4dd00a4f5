"""Which variables nobody but the running frame can bind: those may be tested, and then read once more for their use.

Between the two a destructor may run, wherever the interpreter collects garbage. It can bind globals, names of a class
body and what a function declares nonlocal; a local variable of the frame that runs it cannot.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from langserver.python_runtime.toplevel import bound_names

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BINDING_NOTHING = frozenset({ast.Constant, ast.Load, ast.Store, ast.Pass, ast.Break, ast.Continue})
_RESUMED = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)


def declared_nonlocal(tree: ast.AST, source_lines: Iterable[str]) -> frozenset[str]:
    """Every name that some function of the program binds in one around it."""
    if not any("nonlocal" in line for line in source_lines):
        return frozenset()
    return frozenset(name for node in ast.walk(tree) if isinstance(node, ast.Nonlocal) for name in node.names)


def targets(node: ast.expr) -> Iterable[str]:
    """The variables that a target of assignments binds."""
    if isinstance(node, ast.Name):
        return (node.id,)
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]


class Around:
    """A scope that binds only what is given: a comprehension, or what is evaluated later, as a type parameter."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = frozenset(names)


class ClassBody:
    """The body of a class: its names are looked up in a dictionary, and functions in it do not see them."""


class Function:
    """A function or lambda. What its body binds is found out when it is first asked for."""

    def __init__(self, node: Any) -> None:
        arguments: ast.arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        self.first = positional[0].arg if positional else ""
        rest = (each for each in (arguments.vararg, arguments.kwarg) if each is not None)
        self.parameters = frozenset(each.arg for each in (*positional, *arguments.kwonlyargs, *rest))
        self._node = node
        self._bound: frozenset[str] | None = None
        self._elsewhere: frozenset[str] = frozenset()
        self._resumed = isinstance(node, ast.AsyncFunctionDef)

    def binds(self, name: str) -> bool:
        """Whether `name` is a local variable of the function."""
        return name in self.parameters or name in self._bound_in_body()

    def gives_away(self, name: str) -> bool:
        """Whether the function says that `name` is a variable of another scope."""
        self._bound_in_body()
        return name in self._elsewhere

    def keeps(self, name: str) -> bool:
        """Whether its own variable `name` stays as it is while a function inside runs."""
        return name not in self._bound_in_body() or not self._resumed

    def _bound_in_body(self) -> frozenset[str]:
        if self._bound is None:
            found: set[str] = set()
            elsewhere: set[str] = set()
            body = self._node.body if isinstance(self._node.body, list) else [self._node.body]
            for part, in_comprehension in _own_parts(body):
                if isinstance(part, (ast.Global, ast.Nonlocal)):
                    elsewhere.update(part.names)
                elif isinstance(part, ast.NamedExpr):
                    found.add(part.target.id)
                elif isinstance(part, _RESUMED):
                    self._resumed = True
                elif not in_comprehension:
                    found.update(bound_names(part))
            self._elsewhere = frozenset(elsewhere)
            self._bound = frozenset(found - elsewhere)
        return self._bound


Scope = Around | ClassBody | Function


def is_steady(name: str, scopes: list[Scope], nonlocal_names: frozenset[str]) -> bool:
    """Whether `name`, read in the last of `scopes`, can be bound by the running frame only."""
    inside = deeper = False
    for scope in reversed(scopes):
        if isinstance(scope, ClassBody):
            if not inside:
                return False
        elif isinstance(scope, Around):
            if name in scope.names:
                return True
            deeper = True
        elif scope.binds(name):
            return name not in nonlocal_names and (not deeper or scope.keeps(name))
        elif scope.gives_away(name):
            return False
        else:
            inside = deeper = True
    return False


def _own_parts(body: list[Any]) -> Iterator[tuple[ast.AST, bool]]:
    """Every node of one scope, and whether it stands in a comprehension, whose targets are variables of its own."""
    stack = [(node, False) for node in body]
    while stack:
        node, inside = stack.pop()
        if type(node) in _BINDING_NOTHING:
            continue
        yield node, inside
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            parts = [*getattr(node, "decorator_list", []), *node.args.defaults]
            parts += [each for each in node.args.kw_defaults if each is not None]
        elif isinstance(node, ast.ClassDef):
            parts = [*node.decorator_list, *node.bases, *node.keywords]
        else:
            parts = list(ast.iter_child_nodes(node))
        inside = inside or isinstance(node, _COMPREHENSIONS)
        stack += [(part, inside) for part in parts]

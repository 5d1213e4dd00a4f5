"""What will surely be refused when the program runs, for a reader who does not run it.

Execution does not ask this: there a missing module is an ImportError that the program may answer.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from langserver.python_runtime import catalog, modules
from langserver.python_runtime.refusals import (
    Refusal,
    RefusedImport,
    RefusedModule,
    UnknownModule,
    UnknownName,
    call,
)
from langserver.python_runtime.toplevel import bound_names

_FOR_ALL = frozenset({"Exception", "BaseException"})
_FOR_IMPORTS = _FOR_ALL | {"ImportError", "ModuleNotFoundError"}
_FOR_CALLS = _FOR_ALL | {"RuntimeError"}

_WITHOUT_PARTS = frozenset({ast.Name, ast.Constant, ast.Load, ast.Store, ast.Pass, ast.alias})

Tell = Callable[[ast.AST, Refusal | UnknownName], None]


def forecast(tree: ast.Module, tell: Tell) -> None:
    """Gives `tell` each node of `tree` that will be refused, with the refusal. `tree` is as it was parsed."""
    bound: set[str] = set()
    calls: list[tuple[ast.Call, str]] = []
    for node, caught in _with_caught(tree):
        bound.update(bound_names(node))
        match node:
            case ast.arg(arg=name):
                bound.add(name)
            case ast.Import() | ast.ImportFrom() if not caught & _FOR_IMPORTS:
                _forecast_import(node, tell)
            case ast.Call(func=ast.Name(id=name)) if name in catalog.REFUSED_BUILTINS and not caught & _FOR_CALLS:
                calls.append((node, name))
    for node, name in calls:
        if name not in bound:
            tell(node, call(name, catalog.REFUSED_BUILTINS[name]))


def _forecast_import(node: ast.Import | ast.ImportFrom, tell: Tell) -> None:
    if isinstance(node, ast.Import):
        wanted = [(alias.name, "*") for alias in node.names]
    else:
        wanted = [("." * node.level + (node.module or ""), alias.name) for alias in node.names]
    for module, name in wanted:
        if module.partition(".")[0] in catalog.NEVER and not catalog.offers(module):
            continue  # refused at compile time as well
        try:
            if name == "*":
                modules.import_module(module, itself=True)
            else:
                modules.import_from(module, name)
        except (RefusedModule, UnknownModule) as refusal:
            tell(node, refusal)
            if name != "*":
                return  # the others are of the same module
        except (RefusedImport, UnknownName) as refusal:
            tell(node, refusal)


def _with_caught(tree: ast.Module) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """Every node, with the names of the exceptions that are caught around it."""
    stack: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    while stack:
        node, caught = stack.pop()
        yield node, caught
        if type(node) in _WITHOUT_PARTS:
            continue
        inside: list[ast.stmt] = []
        around = caught
        match node:
            case ast.Try() | ast.TryStar():
                inside = node.body
                around |= {name for handler in node.handlers for name in _named(handler.type)}
            case ast.With(items=items):
                inside = node.body
                around |= {name for item in items for name in _suppressed(item.context_expr)}
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                inside, around = node.body, caught | _FOR_IMPORTS | _FOR_CALLS  # it never runs
        stack.extend((child, around) for child in inside)
        skip = {id(child) for child in inside}
        stack.extend((child, caught) for child in ast.iter_child_nodes(node) if id(child) not in skip)


def _named(caught: ast.expr | None) -> Iterator[str]:
    match caught:
        case None:
            yield "BaseException"
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield name
        case ast.Tuple(elts=parts):
            for part in parts:
                yield from _named(part)


def _suppressed(manager: ast.expr) -> Iterator[str]:
    match manager:
        case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress"), args=args):
            for each in args:
                yield from _named(each)

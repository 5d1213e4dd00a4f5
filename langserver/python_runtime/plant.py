"""What the policy plants in a tree: guards under names that no source can spell, since an AST takes any string."""

from __future__ import annotations

import ast
from typing import Any, Final, TypeVar

Node = TypeVar("Node", bound=ast.AST)

LOAD: Final = "$load"
WRITABLE: Final = "$writable"
WRITABLE_NAME: Final = "$writable_name"
AUGMENTED: Final = "$augmented"
IMPORT: Final = "$import"
IMPORT_FROM: Final = "$import_from"
CHECKED_CLASS: Final = "$checked_class"
NAMED_CLASS: Final = "$named_class"
FETCHED: Final = "$fetched"
TYPE: Final = "$type"
SUPER: Final = "$super"
PLAIN: Final = "$plain"
USER: Final = "$user"
REGISTRAR: Final = "$registrar"


def call(function: str, arguments: list[Any]) -> ast.Call:
    """A call of a hidden name."""
    return ast.Call(ast.Name(function, ast.Load()), arguments, [])


def type_in(name: str, group: str) -> ast.Compare:
    """`type(name) in group`, both spelled hidden."""
    kind = call(TYPE, [ast.Name(name, ast.Load())])
    return ast.Compare(kind, [ast.In()], [ast.Name(group, ast.Load())])


def placed(new: Node, old: ast.AST) -> Node:
    """`new` and its parts that have no place yet at the place of `old`."""
    stack: list[ast.AST] = [new]
    while stack:
        node = stack.pop()
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            ast.copy_location(node, old)
            stack.extend(ast.iter_child_nodes(node))
        elif "lineno" not in node._attributes:
            stack.extend(ast.iter_child_nodes(node))
    return new


def is_plain_super(node: ast.AST) -> bool:
    """Whether `node` is `super()` without arguments, which the interpreter's compiler looks for."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "super"
        and not node.args
        and not node.keywords
    )


def is_docstring(node: ast.stmt) -> bool:
    """Whether `node` is a string that stands alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)

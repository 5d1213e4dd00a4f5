"""A top-level `return` or `await`: the module body becomes one function whose names stay global."""

from __future__ import annotations
import __future__

import ast
from collections.abc import Iterator, Sequence
from typing import Any

# No source can spell it; frames of the body then look like those of any module.
BODY_NAME = "<module>"

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
# What `bound_names` looks at: most nodes bind nothing, and a source may have a million of them.
_BINDING = frozenset(
    {
        *(ast.Name, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar),
        *(ast.MatchMapping, ast.Import, ast.ImportFrom, ast.Global),
    }
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def take_future(tree: ast.Module) -> int:
    """Removes `from __future__ import ...` and returns it as flags for `compile`. Raises SyntaxError for unknown ones.

    Left in, it would be an import at run time, and inside a function an error.
    """
    flags = 0
    body: list[ast.stmt] = []
    may_stand_here = True
    for index, statement in enumerate(tree.body):
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__" and not statement.level:
            for alias in statement.names:
                place = (None, statement.lineno, 1, None)
                if alias.name not in __future__.all_feature_names:
                    raise SyntaxError(f"future feature {alias.name} is not defined", place)
                if not may_stand_here:
                    raise SyntaxError("from __future__ imports must occur at the beginning of the file", place)
                feature: __future__._Feature = getattr(__future__, alias.name)
                flags |= feature.compiler_flag
            continue
        may_stand_here = may_stand_here and index == 0 and isinstance(statement, ast.Expr)
        body.append(statement)
    tree.body = body
    return flags


def wrap(tree: ast.Module, source: str) -> bool:
    """Wraps the body of `source` if it returns or awaits at its top level, and says whether it did.

    The function is called BODY_NAME; it returns None when it fell through, else a tuple of one value: `return None`
    is a result. Raises SyntaxError for a top-level `yield`.
    """
    if not any(word in source for word in ("return", "await", "async")):
        return False
    parts = list(_own_parts(tree.body))
    returns = [part for part in parts if isinstance(part, ast.Return)]
    awaits = [part for part in parts if _awaits(part)]
    if not returns and not awaits:
        return False
    for part in parts:
        if isinstance(part, (ast.Yield, ast.YieldFrom)):
            raise SyntaxError("'yield' outside function", (None, part.lineno, part.col_offset + 1, None))
    for part in returns:
        part.value = ast.Tuple([part.value or ast.Constant(None)], ast.Load())
        _place(part.value, part)
    names = {name: None for part in parts for name in bound_names(part)}
    docstring, body = (tree.body[:1], tree.body[1:]) if _is_text(tree.body[0]) else ([], tree.body)
    hoisted = [each for each in body if isinstance(each, ast.ImportFrom) and each.names[0].name == "*"]
    inner: list[ast.stmt] = [ast.Global(list(names))] if names else []
    inner += _Plain().visit(ast.Module([each for each in body if each not in hoisted], [])).body
    kind: type[Any] = ast.AsyncFunctionDef if awaits else ast.FunctionDef
    function = kind(name=BODY_NAME, args=ast.arguments([], [], None, [], [], None, []), body=inner, decorator_list=[])
    if "type_params" in kind._fields:
        function.type_params = []
    first = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
    _place(function, first)
    tree.body = [*docstring, *hoisted, function]
    return True


def binds_main(tree: ast.Module, source: str) -> bool:
    """Whether the program `source` binds `main` at its top level, other than where it asks for its `__name__`."""
    if "main" not in source and source.isascii():  # the parser normalises other spellings of a name
        return False
    body = [each for each in tree.body if not (isinstance(each, ast.If) and _asks_name(each.test))]
    return any("main" in bound_names(part) for part in _own_parts(body))


def _asks_name(test: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(test))


class _Plain(ast.NodeTransformer):
    """Annotated names and `global` do not mix, and a second `global` may come too late."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if not isinstance(node.target, ast.Name):
            return node
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Global(self, node: ast.Global) -> ast.stmt:
        return ast.copy_location(ast.Pass(), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return node


def _own_parts(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Every node that belongs to the top-level scope, comprehensions included (`:=` in them binds outside)."""
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _SCOPES):
            outside = [*getattr(node, "decorator_list", []), *getattr(node, "bases", [])]
            if not isinstance(node, ast.ClassDef):
                outside += [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]
            stack.extend(outside)
        else:
            stack.extend(ast.iter_child_nodes(node))


def _awaits(part: ast.AST) -> bool:
    if isinstance(part, _COMPREHENSIONS) and not isinstance(part, ast.GeneratorExp):
        return any(each.is_async for each in part.generators)
    return isinstance(part, (ast.Await, ast.AsyncFor, ast.AsyncWith))


def bound_names(part: ast.AST) -> Sequence[str]:
    """The variables that this one node binds, without those of its parts."""
    if type(part) not in _BINDING:
        return ()
    match part:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return (name,)
        case ast.MatchMapping(rest=str(name)):
            return (name,)
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name.partition(".")[0] for alias in aliases if alias.name != "*"]
        case ast.Global(names=names):
            return names
    return ()


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _place(new: ast.AST, old: ast.AST) -> None:
    stack = [new]
    while stack:
        node = stack.pop()
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            ast.copy_location(node, old)
        if node is new or not isinstance(node, ast.stmt):
            stack.extend(ast.iter_child_nodes(node))
        elif isinstance(node, ast.Global):
            ast.copy_location(node, old)

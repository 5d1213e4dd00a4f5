"""The first half of the policy at compile time: collecting problems, and which names a program may use."""

from __future__ import annotations

import ast
from typing import Any

from RestrictedPython.transformer import RestrictingNodeTransformer

from langserver.python_runtime import names, plant
from langserver.python_runtime.problems import Problem
from langserver.python_runtime.refusals import Refusal, UnknownName

MAX_PROBLEMS = 100


class NameChecker(RestrictingNodeTransformer):
    """Refuses names; `problems` is filled by `visit`.

    Derives from RestrictedPython's transformer for its deny-by-default: a node without a handler there, here or in
    `policy` is refused.
    """

    def __init__(self, source_lines: list[str]) -> None:
        super().__init__()
        self.problems: list[Problem] = []
        self._lines = source_lines
        self._in_class_body = False

    # Problems

    def error(self, node: ast.AST, info: str) -> None:
        """RestrictedPython's own way to refuse a node."""
        self.refuse(node, "syntax", info.removesuffix("."))

    def refuse(self, node: ast.AST, rule: str, message: str, hint: str = "", error: str = "") -> None:
        """Records a problem at `node`; for `error` see Problem."""
        if len(self.problems) >= MAX_PROBLEMS:
            return
        line, column = self._place(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        end = self._place(getattr(node, "end_lineno", None) or line, getattr(node, "end_col_offset", None) or 0)
        problem = Problem(rule, message, line, column, hint, *end, error)
        if problem not in self.problems:
            self.problems.append(problem)

    def _place(self, line: int, offset: int) -> tuple[int, int]:
        """Line and column, of a byte offset."""
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        return line, len(text.encode("utf-8", "replace")[:offset].decode("utf-8", "replace")) + 1

    def refuse_ahead(self, node: ast.AST, refusal: Refusal | UnknownName) -> None:
        """Records what will be refused at `node`, or fail there, when it runs."""
        if isinstance(refusal, UnknownName):
            self.refuse(node, "", str(refusal), refusal.hint, type(refusal).__name__)
        else:
            self.refuse(node, refusal.rule, str(refusal), refusal.hint)

    def warn(self, node: ast.AST, info: str) -> None:
        """RestrictedPython's warnings say nothing to the author of a task."""

    # Names

    def _name(self, node: ast.AST, name: str | None, *, binds: bool) -> None:
        if name is None:
            return
        if name in names.GUARD_NAMES:
            self.refuse(node, "name", f"the name {name!r} is reserved")
        elif binds and name == "super":
            self.refuse(node, "name", "the name 'super' cannot be given to something else here")
        elif names.is_dunder(name):
            allowed = names.DEFINABLE | names.MODULE_DUNDERS if self._in_class_body else names.LOADABLE_DUNDERS
            if name == "__import__":
                self.refuse(node, "name", "__import__ is not available", names.instead_of(name))
            elif name not in allowed or (binds and name == "__class__"):
                where = "defined in a class" if self._in_class_body else "used as a name"
                self.refuse(node, "name", f"{name} cannot be {where} here", names.instead_of(name))
            elif self._in_class_body and binds and name == "__annotations__":
                self.refuse(node, "name", "__annotations__ cannot be assigned in a class", names.instead_of(name))
        elif self._in_class_body and binds and name in names.FRAME_NAMES:
            self.refuse(node, "name", f"the name {name!r} cannot be defined in a class", names.instead_of(name))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Reads and writes of a variable."""
        self._name(node, node.id, binds=not isinstance(node.ctx, ast.Load))
        if node.id == "super" and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Name(plant.SUPER, node.ctx), node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """A parameter."""
        self._outside_class_body(node.arg, node)
        return self.node_contents_visit(node)

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        """A named argument of a call."""
        if node.arg in names.GUARD_NAMES:
            self.refuse(node, "name", f"the name {node.arg!r} is reserved")
        return self.node_contents_visit(node)

    def _outside_class_body(self, name: str, node: ast.AST) -> None:
        inside, self._in_class_body = self._in_class_body, False
        self._name(node, name, binds=True)
        self._in_class_body = inside

    def _declared(self, node: ast.Global | ast.Nonlocal) -> ast.AST:
        for name in node.names:
            self._name(node, name, binds=True)
        return node

    visit_Global = visit_Nonlocal = _declared

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """`except X as name`."""
        self._name(node, node.name, binds=True)
        return self.node_contents_visit(node)

    def _type_parameter(self, node: Any) -> Any:
        self._outside_class_body(node.name, node)
        return self.node_contents_visit(node)

    visit_TypeVar = visit_ParamSpec = visit_TypeVarTuple = _type_parameter

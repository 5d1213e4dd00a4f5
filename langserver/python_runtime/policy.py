"""The second half of the policy at compile time: plants the guards.

Unlike in RestrictedPython, names are guarded and not accesses (see `names`), and guards have names that no source can
spell: an AST takes any string for a name, so the program can neither read, shadow, delete nor pass them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from langserver.python_runtime import catalog, grammar, names, plant
from langserver.python_runtime.checker import NameChecker
from langserver.python_runtime.userclasses import REGISTRAR_ENTRY

# Statements and expressions that need no guard: their parts are visited.
_FREE_NODES = """
    Module Expression Expr Pass Break Continue If IfExp While Try TryStar Raise Assert Return Yield YieldFrom Await
    With AsyncWith withitem For AsyncFor comprehension ListComp SetComp DictComp GeneratorExp Assign AugAssign
    AnnAssign NamedExpr Delete Starred Subscript Slice Index Tuple List Set Dict Constant JoinedStr FormattedValue
    BinOp BoolOp UnaryOp Compare Call Load Store Del And Or Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor
    BitAnd FloorDiv Invert Not UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn match_case MatchValue MatchSingleton
    MatchSequence MatchMapping MatchOr arguments TypeAlias TemplateStr Interpolation
"""

_BUILTIN_CLASSES = """
    bool bytearray bytes complex dict float frozenset int list memoryview object range set slice str tuple
""".split()
_BY_GUARD = "capture the object, as in `case Thing() as x if ...:`"


class Policy(NameChecker):
    """Visits one module. `problems` and `imports` (module names, in order of appearance) are filled by `visit`."""

    def __init__(self, source_lines: list[str]) -> None:
        super().__init__(source_lines)
        self.imports: dict[str, None] = {}
        self._classes: list[str] = []  # the innermost last, for name mangling
        self._known_classes = set(_BUILTIN_CLASSES)  # what a pattern names without asking: for speed alone
        self._patterns: list[ast.stmt] | None = None
        self._next_pattern = 0

    def refuse_unknown(self, tree: ast.Module) -> None:
        """Refuses syntax of a Python that is newer than what this policy was written for."""
        for node in grammar.used_unknown(tree):
            self.refuse(node, "syntax", "this syntax is newer than what is known here", "write it as older Pythons do")

    # Attributes

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Reads, writes and deletions of an attribute."""
        name = self._mangled(node.attr)
        if names.closed_everywhere(name):
            self.refuse(node, "attribute", f"the attribute {name} is not available", names.instead_of(name))
            return node
        if isinstance(node.ctx, ast.Load):
            return self._loaded(node, name)
        node.value = self._write_target(self.visit(node.value), node, name)
        return node

    def _loaded(self, node: ast.Attribute, name: str) -> ast.AST:
        receiver = node.value
        if not name.startswith("_") and name not in names.SPECIAL_NAMES:
            node.value = self.visit(receiver)
            return node
        if plant.is_plain_super(receiver) and name == "__init__":
            return node
        if names.is_dunder(name) and name not in names.HANDLED:
            node.value = self.visit(receiver)
            return node
        visited = self.visit(receiver)
        guarded = plant.call(plant.LOAD, [visited, ast.Constant(name)])
        if isinstance(visited, ast.Name) and names.is_private(name):
            # The hot pattern of class code, `self._x`: one set look-up instead of a call.
            plain = ast.Attribute(visited, node.attr, ast.Load())
            return plant.placed(ast.IfExp(plant.type_in(visited.id, plant.PLAIN), plain, guarded), node)
        return plant.placed(guarded, node)

    def _write_target(self, visited: ast.expr, node: ast.Attribute, name: str) -> ast.expr:
        listed = name.startswith("_") or name in names.SPECIAL_NAMES
        guarded = (
            plant.call(plant.WRITABLE_NAME, [visited, ast.Constant(name)])
            if listed
            else plant.call(plant.WRITABLE, [visited])
        )
        if isinstance(visited, ast.Name) and not names.is_dunder(name):
            test = plant.type_in(visited.id, plant.PLAIN if listed else plant.USER)
            return plant.placed(ast.IfExp(test, ast.Name(visited.id, ast.Load()), guarded), node)
        return plant.placed(guarded, node)

    def _mangled(self, name: str) -> str:
        if not self._classes or not name.startswith("__") or name.endswith("__"):
            return name
        owner = self._classes[-1].lstrip("_")
        return f"_{owner}{name}" if owner else name

    # Calls of super()

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Calls need no guard; `super()` without arguments must stay as it is, the compiler looks for it."""
        return node if plant.is_plain_super(node) else self.node_contents_visit(node)

    # Definitions

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        self._name(node, node.name, binds=True)
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        return self._scope(node)

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """A function like any other."""
        return self._scope(node)

    def _scope(self, node: Any) -> Any:
        decorators = getattr(node, "decorator_list", None)
        if decorators is not None:
            node.decorator_list = []
        inside, self._in_class_body = self._in_class_body, False
        self.node_contents_visit(node)
        self._in_class_body = inside
        if decorators is not None:
            node.decorator_list = decorators
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """A class: its first statement registers it as the program's own."""
        self._name(node, node.name, binds=True)
        self._known_classes.add(node.name)
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [self.visit(each) for each in node.bases]
        node.keywords = [self.visit(each) for each in node.keywords]
        for parameter in getattr(node, "type_params", []):
            self.visit(parameter)
        inside, self._in_class_body = self._in_class_body, True
        self._classes.append(node.name)
        body = list(self._statements(node.body))
        self._classes.pop()
        self._in_class_body = inside
        entry = ast.Assign([ast.Name(REGISTRAR_ENTRY, ast.Store())], ast.Name(plant.REGISTRAR, ast.Load()))
        after = 1 if plant.is_docstring(body[0]) else 0
        node.body = [*body[:after], plant.placed(entry, node), *body[after:]]
        return node

    def _statements(self, body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
        for statement in body:
            if isinstance(statement, ast.Assign):
                self._check_match_args(statement)
            visited = self.visit(statement)
            yield from visited if isinstance(visited, list) else [visited]

    def _check_match_args(self, node: ast.Assign) -> None:
        if any(isinstance(target, ast.Name) and target.id == "__match_args__" for target in node.targets):
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else [None]
            for part in parts:
                text = part.value if isinstance(part, ast.Constant) else None
                if not isinstance(text, str) or not names.is_field(text):
                    message = "__match_args__ must be a tuple of public attribute names, written out"
                    self.refuse(node, "name", message, "write it as in __match_args__ = ('x', 'y')")
                    return

    # Imports

    def visit_Import(self, node: ast.Import) -> ast.AST | list[ast.stmt]:
        """Becomes assignments of facades."""
        statements: list[ast.stmt] = []
        for alias in node.names:
            self._imported(node, alias.name)
            bound = alias.asname or alias.name.partition(".")[0]
            self._name(node, bound, binds=True)
            value = plant.call(plant.IMPORT, [ast.Constant(alias.name), ast.Constant(alias.asname is not None)])
            statements.append(plant.placed(ast.Assign([ast.Name(bound, ast.Store())], value), node))
        return statements

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.stmt]:
        """Each name singly: the interpreter's own plant.IMPORT_FROM falls back to raw modules in `sys.modules`."""
        module = "." * node.level + (node.module or "")
        self._imported(node, module)
        pairs = [(alias.name, alias.asname or alias.name) for alias in node.names]
        if pairs == [("*", "*")]:
            from langserver.python_runtime.modules import public_names

            pairs = [(name, name) for name in public_names(module)]
            if not pairs:
                return plant.placed(
                    ast.Expr(plant.call(plant.IMPORT, [ast.Constant(module), ast.Constant(True)])), node
                )
        statements: list[ast.stmt] = []
        for name, bound in pairs:
            self._name(node, bound, binds=True)
            value = plant.call(plant.IMPORT_FROM, [ast.Constant(module), ast.Constant(name)])
            statements.append(plant.placed(ast.Assign([ast.Name(bound, ast.Store())], value), node))
        return statements

    def _imported(self, node: ast.AST, module: str) -> None:
        self.imports[module] = None
        if module.partition(".")[0] in catalog.NEVER and not catalog.offers(module):
            self.refuse(node, "import", *catalog.without(module))

    # Patterns

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.stmt]:
        """Classes with positional parts, and those that may be stand-ins, are fetched by `guards.NamedClass`."""
        outer, self._patterns = self._patterns, []
        self.node_contents_visit(node)
        before, self._patterns = self._patterns, outer
        return [*before, node]

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        """A class pattern: the names it reads must be free."""
        for name in node.kwd_attrs:
            if names.closed_everywhere(name) or name.startswith("_") or name in names.SPECIAL_NAMES:
                self.refuse(node, "attribute", f"the attribute {name} cannot be used in a pattern", _BY_GUARD)
        cls = node.cls
        fetched = self.visit(cls)
        node.patterns = [self.visit(each) for each in node.patterns]
        node.kwd_patterns = [self.visit(each) for each in node.kwd_patterns]
        known = isinstance(cls, ast.Name) and cls.id in self._known_classes
        if (node.patterns or not known) and self._patterns is not None:
            hidden = f"$pattern{self._next_pattern}"
            self._next_pattern += 1
            nothing = ast.arguments([], [], None, [], [], None, [])
            asking = plant.CHECKED_CLASS if node.patterns else plant.NAMED_CLASS
            asked = plant.call(asking, [ast.Lambda(nothing, fetched)])
            self._patterns.append(plant.placed(ast.Assign([ast.Name(hidden, ast.Store())], asked), node))
            node.cls = plant.placed(ast.Attribute(ast.Name(hidden, ast.Load()), "cls", ast.Load()), cls)
        else:
            node.cls = fetched
        return node

    def _captured(self, node: ast.MatchAs | ast.MatchStar) -> ast.AST:
        self._name(node, node.name, binds=True)
        return self.node_contents_visit(node)

    visit_MatchAs = visit_MatchStar = _captured

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        """`**rest` binds a name."""
        self._name(node, node.rest, binds=True)
        return self.node_contents_visit(node)


def _free(self: Policy, node: ast.AST) -> Any:
    return self.node_contents_visit(node)


for _kind in _FREE_NODES.split():
    if f"visit_{_kind}" not in vars(Policy) | vars(NameChecker):
        setattr(Policy, f"visit_{_kind}", _free)

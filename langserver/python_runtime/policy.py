"""The second half of the policy at compile time: plants the guards.

Unlike in RestrictedPython, names are guarded and not accesses (see `names`), and guards have names that no source can
spell: an AST takes any string for a name, so the program can neither read, shadow, delete nor pass them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, TypeGuard

from langserver.python_runtime import catalog, grammar, names, plant, scopes
from langserver.python_runtime.checker import NameChecker
from langserver.python_runtime.userclasses import REGISTRAR_ENTRY

# Statements and expressions that need no guard: their parts are visited.
_FREE_NODES = """
    Expression Expr Pass Break Continue If IfExp While Try TryStar Raise Assert Return Yield YieldFrom Await
    With AsyncWith withitem For AsyncFor comprehension Assign
    AnnAssign NamedExpr Delete Starred Subscript Slice Index Tuple List Set Dict Constant JoinedStr FormattedValue
    BinOp BoolOp UnaryOp Compare Call Load Store Del And Or Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor
    BitAnd FloorDiv Invert Not UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn match_case MatchSingleton
    MatchSequence MatchOr arguments TemplateStr Interpolation
"""

_BUILTIN_CLASSES = """
    bool bytearray bytes complex dict float frozenset int list memoryview object range set slice str tuple
""".split()
_NOTHING = ast.Constant(None)
_BY_GUARD = "capture the object, as in `case Thing() as x if ...:`"


class Policy(NameChecker):
    """Visits one module. `problems` and `imports` (module names, in order of appearance) are filled by `visit`."""

    def __init__(self, source_lines: list[str]) -> None:
        super().__init__(source_lines)
        self.imports: dict[str, None] = {}
        self._classes: list[str] = []  # the innermost last, for name mangling
        self._known_classes = set(_BUILTIN_CLASSES)  # what a pattern names without asking: for speed alone
        self._scopes: list[scopes.Scope] = []  # likewise
        self._nonlocal: frozenset[str] = frozenset()
        self._patterns: list[ast.stmt] | None = None
        self._next_pattern = 0

    def refuse_unknown(self, tree: ast.Module) -> None:
        """Refuses syntax of a Python that is newer than what this policy was written for."""
        for node in grammar.used_unknown(tree):
            self.refuse(node, "syntax", "this syntax is newer than what is known here", "write it as older Pythons do")

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """The whole program."""
        self._nonlocal = scopes.declared_nonlocal(node, self._lines)
        return self.node_contents_visit(node)

    def _is_steady(self, node: ast.expr) -> TypeGuard[ast.Name]:
        """Whether `node` is a variable that may be read twice."""
        return isinstance(node, ast.Name) and scopes.is_steady(node.id, self._scopes, self._nonlocal)

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
            return self._loaded_from_super(node)
        if names.is_dunder(name) and name not in names.HANDLED:
            node.value = self.visit(receiver)
            return node
        visited = self.visit(receiver)
        guarded = plant.call(plant.LOAD, [visited, ast.Constant(name)])
        if names.is_private(name) and self._is_steady(visited):
            # The hot pattern of class code, `self._x`: one set look-up instead of a call.
            plain = ast.Attribute(visited, node.attr, ast.Load())
            return plant.placed(ast.IfExp(plant.type_in(visited.id, plant.PLAIN), plain, guarded), node)
        return plant.placed(guarded, node)

    def _loaded_from_super(self, node: ast.Attribute) -> ast.AST:
        """`super().__init__`: where the method was called with a class for its instance, that takes any object."""
        guarded = plant.call(plant.LOAD, [node.value, ast.Constant(node.attr)])
        scope = self._scopes[-1] if self._scopes else None
        if isinstance(scope, scopes.Function) and scope.first and scope.first not in self._nonlocal:
            return plant.placed(ast.IfExp(plant.type_in(scope.first, plant.PLAIN), node, guarded), node)
        return plant.placed(guarded, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """`o.x += y` reads `o.x` as well."""
        target = node.target
        if isinstance(target, ast.Attribute):
            name = self._mangled(target.attr)
            asked = (name in names.HANDLED and name != "__class__") or name in names.SPECIAL_NAMES
            if asked and not names.closed_everywhere(name):
                held = plant.call(plant.AUGMENTED, [self.visit(target.value), ast.Constant(name)])
                node.target = plant.placed(ast.Attribute(held, "value", ast.Store()), target)
                node.value = self.visit(node.value)
                return node
        return self.node_contents_visit(node)

    def _write_target(self, visited: ast.expr, node: ast.Attribute, name: str) -> ast.expr:
        listed = name.startswith("_") or name in names.WRITTEN_BY_GUARD
        guarded = (
            plant.call(plant.WRITABLE_NAME, [visited, ast.Constant(name)])
            if listed
            else plant.call(plant.WRITABLE, [visited])
        )
        if not names.is_dunder(name) and self._is_steady(visited):
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
        inside, self._in_class_body = self._in_class_body, False
        node.args = self.visit(node.args)  # defaults and annotations belong to the scope around
        if getattr(node, "returns", None) is not None:
            node.returns = self.visit(node.returns)
        self._type_parameters(node)
        self._scopes.append(scopes.Function(node))
        node.body = list(self._visited(node.body)) if isinstance(node.body, list) else self.visit(node.body)
        self._scopes.pop()
        self._in_class_body = inside
        return node

    def _type_parameters(self, node: Any) -> None:
        self._scopes.append(scopes.Around())  # evaluated when somebody asks for them
        for parameter in getattr(node, "type_params", []):
            self.visit(parameter)
        self._scopes.pop()

    def visit_TypeAlias(self, node: Any) -> Any:
        """`type X = ...`."""
        node.name = self.visit(node.name)
        self._type_parameters(node)
        self._scopes.append(scopes.Around())
        node.value = self.visit(node.value)
        self._scopes.pop()
        return node

    def _comprehension(self, node: Any) -> Any:
        first = node.generators[0]
        first.iter = self.visit(first.iter)  # by the scope around
        self._scopes.append(scopes.Around(name for each in node.generators for name in scopes.targets(each.target)))
        iterated, first.iter = first.iter, _NOTHING
        self.node_contents_visit(node)
        first.iter = iterated
        self._scopes.pop()
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """A class: its first statement registers it as the program's own."""
        self._name(node, node.name, binds=True)
        self._known_classes.add(node.name)
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [self.visit(each) for each in node.bases]
        node.keywords = [self.visit(each) for each in node.keywords]
        self._type_parameters(node)
        inside, self._in_class_body = self._in_class_body, True
        self._classes.append(node.name)
        self._scopes.append(scopes.ClassBody())
        body = list(self._statements(node.body))
        self._scopes.pop()
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
            yield from self._visited([statement])

    def _visited(self, body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
        for statement in body:
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
            node.cls = self._fetched_later(plant.CHECKED_CLASS if node.patterns else plant.NAMED_CLASS, fetched, cls)
        else:
            node.cls = fetched
        return node

    def _fetched_later(self, holder: str, fetched: ast.expr, old: ast.expr) -> ast.expr:
        """What stands for `fetched` in a pattern, where the grammar has names and attributes only."""
        assert self._patterns is not None
        hidden = f"$pattern{self._next_pattern}"
        self._next_pattern += 1
        held = plant.call(holder, [ast.Lambda(ast.arguments([], [], None, [], [], None, []), fetched)])
        if self._in_class_body:  # whose names are the class's dictionary, which the program and its metaclasses have
            self._patterns.append(plant.placed(ast.Global([hidden]), old))
        self._patterns.append(plant.placed(ast.Assign([ast.Name(hidden, ast.Store())], held), old))
        return plant.placed(ast.Attribute(ast.Name(hidden, ast.Load()), names.FETCHED_NAME, ast.Load()), old)

    def _value_in_pattern(self, value: ast.expr) -> ast.expr:
        visited: ast.expr = self.visit(value)
        if isinstance(value, ast.Attribute) and not isinstance(visited, ast.Attribute):
            return self._fetched_later(plant.FETCHED, visited, value)
        return visited

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        """`case Color._RED`."""
        node.value = self._value_in_pattern(node.value)
        return node

    def _captured(self, node: ast.MatchAs | ast.MatchStar) -> ast.AST:
        self._name(node, node.name, binds=True)
        return self.node_contents_visit(node)

    visit_MatchAs = visit_MatchStar = _captured

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        """`**rest` binds a name."""
        self._name(node, node.rest, binds=True)
        node.keys = [self._value_in_pattern(each) for each in node.keys]
        node.patterns = [self.visit(each) for each in node.patterns]
        return node


def _free(self: Policy, node: ast.AST) -> Any:
    return self.node_contents_visit(node)


for _kind in _FREE_NODES.split():
    if f"visit_{_kind}" not in vars(Policy) | vars(NameChecker):
        setattr(Policy, f"visit_{_kind}", _free)

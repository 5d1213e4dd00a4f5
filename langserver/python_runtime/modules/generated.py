"""Text that the library makes code of: `dataclasses` writes methods, `inspect` evaluates signatures in docstrings.

Methods of dataclasses read and write fields by name and can be called with any object, so each first asks what the
guards ask of the program's own methods. Their text is made of names that a program can change while it is made (the
dictionaries of annotations and fields, metaclasses), so the text itself is checked, where it is about to run.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from langserver.python_runtime import names
from langserver.python_runtime.faces import check_namespace
from langserver.python_runtime.guards import check_private, load
from langserver.python_runtime.names import exact
from langserver.python_runtime.refusals import RefusedClass, attribute
from langserver.python_runtime.userclasses import USER, mro_of, namespace_of

_NODES: Final = (
    *(ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.expr_context, ast.operator, ast.cmpop, ast.boolop),
    *(ast.Expr, ast.Assign, ast.If, ast.Return, ast.Raise, ast.Pass),
    *(
        ast.Name,
        ast.Attribute,
        ast.Call,
        ast.Constant,
        ast.Tuple,
        ast.Set,
        ast.Compare,
        ast.BoolOp,
        ast.IfExp,
        ast.BinOp,
    ),
    *(ast.JoinedStr, ast.FormattedValue),
)
_BUILTINS: Final = frozenset({"hash", "super", "type", "NotImplemented"})
_ON_CLASSES: Final = frozenset({"__class__", "__qualname__"})
_STATEMENT_CALLS: Final = frozenset({"__setattr__", "__delattr__", "__post_init__"})
_SELF: Final = "__dataclass_self__"  # the first parameter's name when a field is called `self`
_GUARD: Final = {"__dataclass_type__": type, "__dataclass_user__": USER}


class _Making:
    depth = 0


@contextmanager
def guarding() -> Iterator[None]:
    """What `dataclasses` writes meanwhile is checked and asks the guards. Programs make theirs in here only."""
    _Making.depth += 1
    try:
        yield
    finally:
        _Making.depth -= 1


def is_guarding() -> bool:
    """Whether a dataclass of the program is being made."""
    return _Making.depth > 0


def is_own(value: Any, name: str) -> bool:
    """Whether a method of the program may read and write `value.name`, which is private or special."""
    if type(value) not in USER:
        return False
    if names.is_private(name):
        check_private(value, name)
    owner = next((base for base in mro_of(type(value)) if name in namespace_of(base)), None)
    return name not in names.SPECIAL_NAMES or owner is None or owner in USER


def _refuse_text() -> RefusedClass:
    return RefusedClass("the fields of this dataclass cannot be made into methods here")


def _fields_of(name: str, args: Sequence[str], body: Sequence[str], known: Sequence[str]) -> set[str]:
    """The fields that a generated function reads or writes. Raises RefusedClass if it does anything else."""
    if not all(each.isidentifier() for each in known):  # they become parameters of the function around it
        raise _refuse_text()
    # The lines are indented in some versions of the library, in others not.
    lines = "\n".join(f" {line}" for line in body)
    try:
        (function,) = ast.parse(f"def {name}({','.join(args)}):\n{lines}").body
    except (SyntaxError, ValueError):
        raise _refuse_text() from None
    if not isinstance(function, ast.FunctionDef):
        raise _refuse_text()
    arguments = function.args
    parameters = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    if any(names.is_dunder(each) and each != _SELF for each in parameters) or arguments.vararg or arguments.kwarg:
        raise _refuse_text()
    defaults = [*arguments.defaults, *(each for each in arguments.kw_defaults if each is not None)]
    if not all(isinstance(each, ast.Name) for each in defaults):
        raise _refuse_text()
    words = {*parameters, *known, *_BUILTINS}
    receivers = {parameters[0], "other"}
    found: set[str] = set()
    statements = {id(each.value.func) for each in ast.walk(function) if _is_call_statement(each)}  # type: ignore[attr-defined]
    for node in ast.walk(function):
        if not isinstance(node, _NODES) or (isinstance(node, ast.Name) and node.id not in words):
            raise _refuse_text()
        if not isinstance(node, ast.Attribute) or id(node) in statements:
            continue
        if node.attr in _ON_CLASSES:
            continue
        if not isinstance(node.value, ast.Name) or node.value.id not in receivers:
            raise _refuse_text()
        _check_field(node.attr)
        found.add(node.attr)
    return found


def _is_call_statement(node: ast.AST) -> bool:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    called = node.value.func
    if not isinstance(called, ast.Attribute) or called.attr not in _STATEMENT_CALLS:
        return False
    for argument in node.value.args:
        if isinstance(argument, ast.Constant):  # the field that a frozen class sets
            _check_field(argument.value)
    return True


def _check_field(name: Any) -> None:
    if type(name) is not str or not name.isidentifier() or names.is_dunder(name) or names.closed_everywhere(name):
        raise _refuse_text()


def _guarded(name: str, args: Sequence[str], body: Sequence[str], known: dict[str, Any]) -> list[str]:
    """The lines of a generated function with its checks in front; `known` gains what they need."""
    fields = _fields_of(name, args, body, list(known))
    watched = sorted(each for each in fields if names.is_private(each) or each in names.SPECIAL_NAMES)
    me = args[0]

    def refuse(value: Any) -> None:
        for each in watched or fields or {name}:
            if not is_own(value, each):
                raise attribute(each, "this method is for instances of its own class")

    known |= {**_GUARD, "__dataclass_refuse__": refuse}
    indent = body[0][: len(body[0]) - len(body[0].lstrip())]
    test = "" if watched else f"if __dataclass_type__({me}) not in __dataclass_user__: "
    lines = [f"{indent}{test}__dataclass_refuse__({me})"]
    if "other" in args:
        lines.append(f"{indent}if __dataclass_type__(other) is not __dataclass_type__({me}): return NotImplemented")
    return [*lines, *body]


def _guard_functions() -> None:
    """Puts the checks in front of every function that `dataclasses` writes (3.11, 3.12)."""
    create: Any = dataclasses._create_fn  # type: ignore[attr-defined]

    def create_fn(name: str, args: Sequence[str], body: Sequence[str], **rest: Any) -> Any:
        if not _Making.depth:
            return create(name, args, body, **rest)
        known = dict(rest.pop("locals", None) or {})
        lines = _guarded(name, tuple(args), tuple(body), known)
        return create(name, args, lines, locals=known, **rest)

    dataclasses._create_fn = create_fn  # type: ignore[attr-defined]


def _guard_builder() -> None:
    """The same where one builder collects all functions of a class (3.13). Their locals are common to all."""
    builder: Any = dataclasses._FuncBuilder  # type: ignore[attr-defined]
    add: Any = builder.add_fn

    def add_fn(self: Any, name: str, args: Sequence[str], body: Sequence[str], **rest: Any) -> Any:
        if not _Making.depth:
            return add(self, name, args, body, **rest)
        known = {**self.locals, **(rest.pop("locals", None) or {})}
        lines = _guarded(name, tuple(args), tuple(body), known)
        own = f"__dataclass_refuse_{name.strip('_')}__"
        known[own] = known.pop("__dataclass_refuse__")
        lines[0] = lines[0].replace("__dataclass_refuse__", own)
        return add(self, name, args, lines, locals=known, **rest)

    builder.add_fn = add_fn


def _no_text_signature(cls: Any, obj: Any, s: str, skip_bound_arg: bool = True) -> Any:
    """Instead of `inspect._signature_fromstr`, which evaluates names of a docstring in `sys.modules`."""
    if obj is object:  # whose signature is that of every class without a constructor
        return cls()
    raise ValueError("signatures are not read from text here")


def _guard_redirects() -> None:
    """From 3.12 on a property of an enum may stand for an attribute of the member's value, by name."""
    if not hasattr(enum.property, "_attr_type"):
        return
    get: Any = enum.property.__get__

    def redirect(self: Any, instance: Any, ownerclass: Any = None) -> Any:
        if instance is None:
            return get(self, instance, ownerclass)
        # Each is read once: a property of the program's may say something else the second time.
        getter, kind = self.fget, self._attr_type
        if getter is not None:
            return getter(instance)
        if kind == "attr":
            return load(self._cls_type, exact(self.name))
        if kind == "desc":
            return load(instance._value_, exact(self.name))
        if self.name not in ownerclass._member_map_:
            raise AttributeError(f"{ownerclass!r} has no attribute {self.name!r}")
        return ownerclass._member_map_[self.name]

    enum.property.__get__ = redirect  # type: ignore[method-assign]


def _guard_enums() -> None:
    """The functional form, `Enum("E", {...})`, makes a class of names that are data."""
    create: Any = enum.EnumMeta.__dict__["_create_"]

    def checked(cls: Any, class_name: str, names: Any = None, **options: Any) -> Any:
        members = _exact_members(names)
        check_namespace(dict.fromkeys(each if type(each) is str else each[0] for each in members))
        return create(cls, class_name, members, **options)

    enum.EnumMeta._create_ = checked  # type: ignore[attr-defined]


def _exact_members(members: Any) -> Any:
    """A copy of what an enum is made of, its names exact strings: it is read once more, after the check."""
    if members is None:
        return ()
    if issubclass(type(members), str):
        return str.__str__(members).replace(",", " ").split()
    if issubclass(type(members), dict):
        return {exact(name): value for name, value in dict.items(members)}
    copied: list[Any] = []
    for member in members:
        if issubclass(type(member), str):
            copied.append(exact(member))
        else:
            name, value = member
            copied.append((exact(name), value))
    return copied


def harden() -> None:
    """Called once in the zygote of a policy, before any program."""
    if hasattr(dataclasses, "_FuncBuilder"):
        _guard_builder()
    else:
        _guard_functions()
    inspect._signature_fromstr = _no_text_signature  # type: ignore[attr-defined]
    _guard_redirects()
    _guard_enums()

"""`typing.get_type_hints`: what annotations say, text in them included, as far as it only names things.

The library evaluates such text as a program. Here it may hold names, attributes, subscripts, `|` and constants; text
that says anything else stays text.
"""

from __future__ import annotations

import ast
import functools
import operator
import types
import typing
from collections import ChainMap
from collections.abc import Iterator, Mapping
from typing import Any, Final

from langserver.python_runtime import names, taskmodule
from langserver.python_runtime.faces import shown
from langserver.python_runtime.guards import load
from langserver.python_runtime.userclasses import USER, is_class, mro_of, namespace_of

_ALIAS: Final = type(typing.List[int])  # noqa: UP006 -- the alias is meant
_ANNOTATED: Final = type(typing.Annotated[int, 1])
_WRAPPERS: Final = tuple(
    getattr(typing, name) for name in ("Required", "NotRequired", "ReadOnly") if hasattr(typing, name)
)
_UNION: Final = type(typing.Union[int, str])  # noqa: UP007


class _NoName(Exception):
    """The text does more than to name things."""


def get_type_hints(obj: Any, globalns: Any = None, localns: Any = None, include_extras: bool = False) -> dict[str, Any]:
    """`typing.get_type_hints`. Raises NameError for a name that there is not."""
    spaces = [space for space in (localns, globalns) if type(space) is dict]
    if globalns is None:
        spaces.append(taskmodule.names())
    found: dict[str, Any] = {}
    for known, said in _annotated(obj, spaces):
        found |= {name: shown(_meant(each, known)) for name, each in said.items()}
    return found if include_extras else {name: _plain(said) for name, said in found.items()}


def _annotated(obj: Any, spaces: list[Any]) -> Iterator[tuple[Mapping[str, Any], dict[str, Any]]]:
    """The annotations of an object, and where their names are looked up; of a class its bases' first."""
    if is_class(obj):
        for base in reversed(mro_of(obj)):
            if base in USER:
                yield ChainMap(load(base, "__dict__"), *spaces), namespace_of(base).get("__annotations__", {})
    else:
        yield ChainMap(*spaces), dict(load(obj, "__annotations__"))


def _meant(said: Any, known: Mapping[str, Any]) -> Any:
    if said is None:
        return types.NoneType
    kind = type(said)
    if kind is str or kind is typing.ForwardRef:
        text = said if kind is str else said.__forward_arg__
        try:
            meant = _value(ast.parse(text.strip(), mode="eval").body, known)
        except (_NoName, SyntaxError, ValueError):
            return said
        return types.NoneType if meant is None else meant
    if kind in (types.GenericAlias, types.UnionType, _ALIAS, _UNION, _ANNOTATED):
        return _rebuilt(said, tuple(_meant(each, known) for each in said.__args__))
    return said


def _plain(said: Any) -> Any:
    """Without what `Annotated` and the words of typed dictionaries add."""
    kind = type(said)
    if kind is _ANNOTATED:
        return _plain(said.__origin__)
    if kind is _ALIAS and said.__origin__ in _WRAPPERS:
        return _plain(said.__args__[0])
    if kind in (types.GenericAlias, types.UnionType, _ALIAS, _UNION):
        return _rebuilt(said, tuple(_plain(each) for each in said.__args__))
    return said


def _rebuilt(said: Any, args: tuple[Any, ...]) -> Any:
    if len(args) == len(said.__args__) and all(new is old for new, old in zip(args, said.__args__, strict=True)):
        return said
    if type(said) is types.GenericAlias:
        origin: Any = said.__origin__
        return types.GenericAlias(origin, args)
    if type(said) is types.UnionType:
        return functools.reduce(operator.or_, args)
    return said.copy_with(args)


def _value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    match node:
        case ast.Name(id=name):
            return _named(name, known)
        case ast.Attribute(value=inner, attr=name):
            return load(_value(inner, known), name)
        case ast.Constant(value=str(text)):
            return _meant(text, known)
        case ast.Constant(value=value):
            return value
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _either(_value(left, known), _value(right, known))
        case ast.Subscript(value=inner, slice=index):
            outer = _value(inner, known)
            if outer is typing.Annotated and isinstance(index, ast.Tuple):  # what is behind the type is no type
                said, *rest = index.elts
                return outer[(_value(said, known), *(_index(part, known, raw=True) for part in rest))]
            return outer[_index(index, known, raw=outer is typing.Literal)]
        case ast.List(elts=parts):
            return [_value(part, known) for part in parts]
        case _:
            raise _NoName


def _either(left: Any, right: Any) -> Any:
    try:
        return left | right
    except TypeError:
        return typing.Union[left, right]  # noqa: UP007


def _index(node: ast.expr, known: Mapping[str, Any], *, raw: bool) -> Any:
    if isinstance(node, ast.Tuple):
        return tuple(_index(part, known, raw=raw) for part in node.elts)
    return node.value if raw and isinstance(node, ast.Constant) else _value(node, known)


def _named(name: str, known: Mapping[str, Any]) -> Any:
    if names.is_dunder(name) or names.closed_everywhere(name):
        raise _NoName
    if name in known:
        return known[name]
    builtins = taskmodule.names().get("__builtins__", {})
    if name in builtins:
        return shown(builtins[name])  # `super` is the raw one there
    raise NameError(f"name {name!r} is not defined", name=name)

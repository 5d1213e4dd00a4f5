"""`typing.overload` and what it was given: the library's table has keys that any object may say of itself."""

from __future__ import annotations

import types
import typing
from typing import Any, Final

from langserver.python_runtime.userclasses import is_user_function

_given: Final[dict[str, dict[int, Any]]] = {}


def overload(func: Any) -> Any:
    """`typing.overload`."""
    function = getattr(func, "__func__", func) if type(func) in (staticmethod, classmethod) else func
    if is_user_function(function):
        _given.setdefault(_name(function), {})[function.__code__.co_firstlineno] = func
    return _not_to_be_called


def get_overloads(func: Any) -> list[Any]:
    """`typing.get_overloads`, of a function or method of this program."""
    function = func.__func__ if type(func) in (staticmethod, classmethod, types.MethodType) else func
    return [*_given.get(_name(function), {}).values()] if is_user_function(function) else []


def clear_overloads() -> None:
    """`typing.clear_overloads`."""
    _given.clear()


def _name(function: types.FunctionType) -> str:
    return str.__str__(function.__qualname__)


_not_to_be_called: Final = typing._overload_dummy  # type: ignore[attr-defined]

NAMES: Final[dict[str, Any]] = {
    "clear_overloads": clear_overloads,
    "get_overloads": get_overloads,
    "overload": overload,
}

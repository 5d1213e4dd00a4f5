"""`copy`, without reduction, dispatch tables and `__setstate__`: those call and write what the object names.

Only objects of the operator's packages are copied by the library: no dispatch table is the program's.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import re
import types
import uuid
import weakref
import zoneinfo
from array import array
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Callable
from copy import Error
from copy import copy as copy_by_library
from copy import deepcopy as deepcopy_by_library
from enum import Enum
from typing import Any, Final

from langserver.python_runtime.userclasses import PACKAGED, USER, is_class, mro_of, namespace_of

_ATOMS: Final = (
    types.NoneType,
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.EllipsisType,
    types.NotImplementedType,
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
    datetime.timezone,
    decimal.Decimal,
    fractions.Fraction,
    uuid.UUID,
    zoneinfo.ZoneInfo,
    re.Pattern,
    re.Match,
)
_CONTAINERS: Final = (list, dict, set, frozenset, tuple, bytearray, OrderedDict, Counter, defaultdict, deque)


# Library classes with a copy of their own: how to make one, and a deep one, whose parts go through the second argument.
COPIED: Final[dict[type, tuple[Callable[[Any], Any], Callable[[Any, Callable[[Any], Any]], Any]]]] = {}


def copy(value: Any) -> Any:
    """A shallow copy. Raises `copy.Error` for what cannot be copied here."""
    kind = type(value)
    if is_class(value) or kind in _ATOMS or issubclass(kind, Enum):
        return value
    if kind in _CONTAINERS:
        return value.copy() if hasattr(value, "copy") else value
    if kind in USER:
        hook = _hook(kind, "__copy__")
        if hook is None and (UserDict in mro_of(kind) or UserList in mro_of(kind)):
            hook = _copy_of_wrapper
        return hook(value) if hook is not None else _instance(value, lambda part: part)
    if kind in {UserDict, UserList}:
        return _copy_of_wrapper(value)
    if kind is types.SimpleNamespace:
        return types.SimpleNamespace(**vars(value))
    if kind is ChainMap:
        return value.copy()
    if kind is array:
        return value[:]
    if issubclass(kind, BaseException):
        return value
    if kind in COPIED:
        return COPIED[kind][0](value)
    if kind in PACKAGED:
        return copy_by_library(value)
    raise Error(f"a {kind.__name__} object cannot be copied here")


def deepcopy(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """A deep copy. Raises `copy.Error` for what cannot be copied here."""
    memo = {} if memo is None else memo
    if id(value) in memo:
        return memo[id(value)]
    kind = type(value)
    if kind is tuple:
        made: Any = tuple(deepcopy(part, memo) for part in value)
        made = value if all(new is old for new, old in zip(made, value, strict=True)) else made
    elif kind in (list, deque):
        made = memo[id(value)] = [] if kind is list else deque(maxlen=value.maxlen)
        made.extend(deepcopy(part, memo) for part in value)
    elif kind in (dict, OrderedDict, Counter, defaultdict):
        made = memo[id(value)] = defaultdict(value.default_factory) if kind is defaultdict else kind()
        for key, part in value.items():
            made[deepcopy(key, memo)] = deepcopy(part, memo)
    elif kind in (set, frozenset):
        made = kind(deepcopy(part, memo) for part in value)
    elif kind is types.SimpleNamespace:
        made = memo[id(value)] = types.SimpleNamespace()
        vars(made).update(deepcopy(vars(value), memo))
    elif kind in USER and not issubclass(kind, Enum):
        hook = _hook(kind, "__deepcopy__")
        made = hook(value, memo) if hook is not None else _instance(value, lambda part: deepcopy(part, memo), memo)
    elif kind in COPIED:
        made = COPIED[kind][1](value, lambda part: deepcopy(part, memo))
    elif kind in PACKAGED:
        made = deepcopy_by_library(value, memo)
    else:
        made = copy(value)
    memo[id(value)] = made
    memo.setdefault(id(memo), []).append(value)  # alive until the end, so that no id is used twice
    return made


def _hook(kind: type, name: str) -> Any:
    for base in mro_of(kind):
        if name in namespace_of(base):
            return namespace_of(base)[name] if base in USER else None
    return None


_IMMUTABLE: Final[tuple[Any, ...]] = (str, int, float, bytes, tuple, frozenset)


def _instance(value: Any, part: Any, memo: dict[int, Any] | None = None) -> Any:
    """A new instance of a class of the program, its items, dictionary and slots through `part`."""
    made = _empty(value, part)
    if memo is not None:
        memo[id(value)] = made
    _fill(value, made, part)
    if hasattr(value, "__dict__"):
        held = object.__getattribute__(value, "__dict__")
        object.__getattribute__(made, "__dict__").update({key: part(each) for key, each in held.items()})
    for base in mro_of(type(value)):
        for member in namespace_of(base).values() if base in USER else ():
            if type(member) is types.MemberDescriptorType and hasattr(value, member.__name__):
                member.__set__(made, part(member.__get__(value)))
    return made


def _empty(value: Any, part: Any) -> Any:
    kind: Any = type(value)
    if issubclass(kind, BaseException):
        return BaseException.__new__(kind, *value.args)
    for plain in _IMMUTABLE:
        if issubclass(kind, plain):
            if plain in (tuple, frozenset):
                return plain.__new__(kind, [part(each) for each in plain.__iter__(value)])
            return plain.__new__(kind, value)
    # The base that made the interpreter's part of the object; `__new__` of the program's classes is not called.
    base: Any = next(each for each in mro_of(kind) if each not in USER)
    return base.__new__(kind)


def _fill(value: Any, made: Any, part: Any) -> None:
    if isinstance(made, list):
        list.extend(made, [part(each) for each in list.__iter__(value)])
    elif isinstance(made, dict):
        for key, each in list(dict.items(value)):
            dict.__setitem__(made, part(key), part(each))
        if isinstance(made, defaultdict):
            made.default_factory = value.default_factory
    elif isinstance(made, set):
        set.update(made, [part(each) for each in set.__iter__(value)])


NAMES: dict[str, Any] = {"copy": copy, "deepcopy": deepcopy, "Error": Error, "error": Error}


def harden() -> None:
    """In the zygote: the library's own `UserDict.copy` copies by reduction, which the object answers.

    Their `__copy__` fills whatever the object says its class makes.
    """
    UserDict.copy = _copy_of_userdict  # type: ignore[method-assign]
    for wrapper in (UserDict, UserList):
        wrapper.__copy__ = _copy_of_wrapper  # type: ignore[method-assign]
    # The library's copy what they hold by its own `deepcopy`: by reduction, which writes what an object says on what
    # `__new__` of its class gives.
    for weak in (weakref.WeakKeyDictionary, weakref.WeakValueDictionary):
        weak.__deepcopy__ = _deepcopy_of_weak  # type: ignore[method-assign]


def _copy_of_userdict(self: Any) -> Any:
    data = self.data
    if type(self) is UserDict:
        return UserDict(data.copy())
    try:
        self.data = {}
        made = copy(self)
    finally:
        self.data = data
    made.update(self)
    return made


def _copy_of_wrapper(self: Any) -> Any:
    kind = type(self)
    if kind not in USER and kind not in {UserDict, UserList}:
        raise TypeError("__copy__() needs a UserDict or UserList")
    made = object.__new__(kind)
    held = object.__getattribute__(self, "__dict__")
    object.__getattribute__(made, "__dict__").update({**held, "data": held["data"].copy()})
    return made


def _deepcopy_of_weak(self: Any, memo: Any) -> Any:
    kind: Any = type(self)
    by_key = weakref.WeakKeyDictionary in mro_of(kind)
    if not by_key and weakref.WeakValueDictionary not in mro_of(kind):
        raise TypeError("__deepcopy__() needs a weak dictionary")
    made = kind()
    for key, value in self.items():  # what is weakly held is not copied: nothing else would hold the copy
        if by_key:
            made[key] = deepcopy(value, memo)
        else:
            made[deepcopy(key, memo)] = value
    return made


_deepcopy_of_weak.__name__ = _deepcopy_of_weak.__qualname__ = "__deepcopy__"
_copy_of_wrapper.__name__, _copy_of_wrapper.__qualname__ = "__copy__", "__copy__"
_copy_of_userdict.__name__, _copy_of_userdict.__qualname__ = "copy", "UserDict.copy"

"""Methods of exported Python-written classes, reached unbound, take instances of their own class only.

`UserList.copy(int)` would run `int.__class__(int)`, which is the raw `type`; `Calendar.setfirstweekday(JSONEncoder, 1)`
would write on a class of the library. Public names are read without a guard, so the check stands in the class itself.
"""

from __future__ import annotations

import functools
import opcode
import types
from collections.abc import Iterator
from typing import Any, Final

from langserver.python_runtime import guards, names
from langserver.python_runtime.refusals import RefusedReceiver
from langserver.python_runtime.userclasses import EXPORTED, PACKAGED, mro_of, namespace_of, owned_names

# By the function that now stands in the class: the one behind it.
CHECKED: Final[dict[Any, types.FunctionType]] = {}

# What a function must not do with a receiver that it was not written for: find its class, write to it, read by name.
_GLOBALS: Final = frozenset("type getattr setattr delattr vars eval exec copy object".split())
_ATTRIBUTES: Final = frozenset(
    "__class__ __dict__ __new__ __reduce__ __reduce_ex__ __setattr__ __getattribute__".split()
)
_WRITES: Final = frozenset(opcode.opmap[name] for name in ("STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME"))
# Called with no instance, or handed out by a handler that asks for the receiver itself.
_ELSEWHERE: Final = frozenset(
    "__new__ __init__ __init_subclass__ __class_getitem__ __get__ __set__ __delete__ __set_name__".split()
)
_DOCUMENTED: Final = (names.TUPLE_NAMES | names.SET_NAMES | names.ENUM_NAMES) - {"_generate_next_value_"}
_issubclass = type.__subclasscheck__


def is_suspect(code: types.CodeType) -> bool:
    """Whether a function of this code, or one inside it, does more with its first argument than use its interface."""
    if _ATTRIBUTES & {*code.co_names} or _GLOBALS & {*code.co_names} or any(map(names.is_private, code.co_names)):
        return True
    if not _WRITES.isdisjoint(code.co_code[::2]):  # what is cached between instructions is zero there
        return True
    return any(is_suspect(part) for part in code.co_consts if type(part) is types.CodeType)


def is_reachable(name: str) -> bool:
    """Whether a program can read an attribute of this name from a class of the library."""
    if names.is_dunder(name):
        return not names.closed_everywhere(name) and name not in _ELSEWHERE
    return not names.is_private(name) or name in _DOCUMENTED


def python_written() -> Iterator[type]:
    """The exported classes and their bases, metaclasses and packages apart."""
    seen: set[type] = set()
    for exported in [*EXPORTED]:
        for cls in () if issubclass(exported, type) or exported in PACKAGED else mro_of(exported):
            if cls not in seen:
                seen.add(cls)
                yield cls


def check_receivers() -> None:
    """In the zygote, when every facade stands."""
    for cls in python_written():
        functions = [
            (name, part) for name, part in namespace_of(cls).items() if is_reachable(name) and _suspects_in(part)
        ]
        if functions:
            owned_names(cls)  # asked now: it reads the code of the methods
        for name, part in functions:
            _replace(cls, name, part)


def parts_of(part: Any) -> tuple[Any, ...]:
    """The functions of one entry of a class that take an instance."""
    if isinstance(part, (property, types.DynamicClassAttribute)):
        return (part.fget, part.fset, part.fdel)
    return (part.func,) if type(part) is functools.cached_property else (part,)


def _suspects_in(part: Any) -> bool:
    return any(_is_suspect(each) for each in parts_of(part))


def _is_suspect(function: Any) -> bool:
    if type(function) is not types.FunctionType or function in guards.TEMPLATE_METHODS or function in CHECKED:
        return False
    return is_suspect(function.__code__)


def _replace(cls: type, name: str, part: Any) -> None:
    if type(part) is types.FunctionType:
        type.__setattr__(cls, name, _checked(cls, part))
    elif type(part) is property:
        fget, fset, fdel = (_checked(cls, each) if _is_suspect(each) else each for each in parts_of(part))
        made = property(fget, fset, fdel, part.__doc__)
        type.__setattr__(cls, name, made)
    elif type(part) is functools.cached_property:
        part.func = _checked(cls, part.func)
    else:  # those of enums know their name and class
        for key, each in zip(("fget", "fset", "fdel"), parts_of(part), strict=True):
            if _is_suspect(each):
                setattr(part, key, _checked(cls, each))


def _checked(cls: type, function: Any) -> Any:
    known = {cls}  # a set, for speed: the bases of a class cannot be assigned

    @functools.wraps(function)
    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        kind = type(self)
        if kind not in known:
            if not _issubclass(cls, kind):
                raise RefusedReceiver(f"{function.__qualname__}() is for instances of {cls.__name__} only")
            known.add(kind)
        return function(self, *args, **kwargs)

    del method.__wrapped__
    CHECKED[method] = function
    return method

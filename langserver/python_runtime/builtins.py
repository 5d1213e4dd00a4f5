"""The builtins of user code: the ordinary ones, guarded where they take names, and the hidden names of the guards."""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Callable
from enum import EnumMeta
from typing import Any

from langserver.python_runtime import guards, modules, plant
from langserver.python_runtime.catalog import REFUSED_BUILTINS
from langserver.python_runtime.faces import GuardedSuper, SafeType, behind, check_bases, made_by
from langserver.python_runtime.modules.printing import print_
from langserver.python_runtime.names import closed_everywhere, exact, is_dunder
from langserver.python_runtime.refusals import RefusedClass, call
from langserver.python_runtime.userclasses import (
    EXPORTED,
    PLAIN,
    REGISTRAR_ENTRY,
    USER,
    Registrar,
    is_class,
    is_user_class,
    register,
)

_ORDINARY = """
    abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex delattr dict dir divmod
    enumerate filter float format frozenset getattr hasattr hash hex id int isinstance issubclass iter len list map max
    memoryview min next object oct ord pow property range repr reversed round set setattr slice sorted staticmethod str
    sum tuple zip None True False Ellipsis NotImplemented __debug__
"""
_MISSING: Any = object()


def _getattr(value: Any, name: str, default: Any = _MISSING, /) -> Any:
    """`getattr` through the guard."""
    name = exact(name)
    if default is _MISSING:
        return guards.load(value, name)
    try:
        return guards.load(value, name)
    except AttributeError:
        return default


def _hasattr(value: Any, name: str, /) -> bool:
    try:
        guards.load(value, exact(name))
    except AttributeError:
        return False
    return True


def _setattr(value: Any, name: str, new: Any, /) -> None:
    name = exact(name)
    setattr(guards.writable_name(value, name), name, new)


def _delattr(value: Any, name: str, /) -> None:
    name = exact(name)
    delattr(guards.writable_name(value, name), name)


def _issubclass(cls: Any, classes: Any, /) -> bool:
    """`issubclass`, which knows what `type(x)` gives of classes that are not shown."""
    return issubclass(behind(cls), behind(classes))


def _dir(*values: Any) -> list[str]:
    if not values:  # of the caller's scope
        return sorted(name for name in sys._getframe(1).f_locals if "$" not in name and name != "__builtins__")
    return [name for name in dir(*values) if type(name) is str and not closed_everywhere(name) and "$" not in name]


def _vars(*values: Any) -> Any:
    if not values:
        raise call("vars", "name an object, as in vars(x)")
    return guards.load(values[0], "__dict__")


def _refusing(name: str, instead: str) -> Callable[..., Any]:
    def refused(*args: Any, **kwargs: Any) -> Any:
        raise call(name, instead)

    refused.__name__ = refused.__qualname__ = name
    return refused


def _build_class(body: Any, name: str, /, *bases: Any, metaclass: Any = None, **keywords: Any) -> Any:
    """`__build_class__`: what the class derives from and is made by is checked before its body runs."""
    check_bases(bases)
    if metaclass is not None:
        if not is_class(metaclass) or not issubclass(metaclass, type):
            raise RefusedClass("metaclass= takes a class that derives from type")
        if metaclass not in USER and metaclass not in EXPORTED:
            raise RefusedClass("this metaclass is not available here")
        made = made_by(metaclass)
        if made is not None:
            keywords["metaclass"] = made
    try:
        cls = builtins.__build_class__(body, name, *bases, **keywords)
    except RuntimeError as error:
        # Before 3.12 the interpreter wraps what `__set_name__` raises.
        if error.__cause__ is not None and REGISTRAR_ENTRY in str(error):
            raise error.__cause__ from None
        raise
    if is_class(cls) and not is_user_class(cls):
        if REGISTRAR_ENTRY in cls.__dict__:
            type.__delattr__(cls, REGISTRAR_ENTRY)
        if isinstance(cls, EnumMeta):  # whose registrar somebody took out of the dictionary
            raise RefusedClass("an enum class is made of what its class statement holds")
        register(cls)
    return cls


def _import_for_c(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> None:  # noqa: A002
    """Serves C code only, which takes the module from `sys.modules` itself: nothing is ever returned.

    Source cannot say `__import__`, and its import statements are rewritten.
    """
    if name not in sys.modules:
        raise ImportError(f"{name} is not loaded")


def _hide_modules() -> None:
    """A class's text names its module: those of ours say nothing to the author of a task."""
    for name, module in list(sys.modules.items()):
        if name.startswith("langserver.python_runtime"):
            for value in vars(module).values():
                if isinstance(value, type) and value.__module__ == name:
                    value.__module__ = "builtins"


def build() -> dict[str, Any]:
    """The dictionary of builtins, made once in the zygote. It is the `__builtins__` of the program's globals."""
    _hide_modules()
    table: dict[str, Any] = {name: getattr(builtins, name) for name in _ORDINARY.split()}
    table |= {
        name: value
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    table |= {name: _refusing(name, instead) for name, instead in REFUSED_BUILTINS.items()}
    EXPORTED.update(value for value in table.values() if is_class(value))
    EXPORTED.update((types.NoneType, types.EllipsisType, types.NotImplementedType))
    table |= {
        "getattr": _getattr,
        "hasattr": _hasattr,
        "setattr": _setattr,
        "delattr": _delattr,
        "dir": _dir,
        "vars": _vars,
        "issubclass": _issubclass,
        "print": print_,
        "type": SafeType,
        # `super()` as written needs the real one; every other use of the name is rewritten to the guarded one.
        "super": super,
        "__build_class__": _build_class,
        "__import__": _import_for_c,
        plant.LOAD: guards.load,
        plant.WRITABLE: guards.writable,
        plant.WRITABLE_NAME: guards.assigned,
        plant.AUGMENTED: guards.Augmented,
        plant.IMPORT: modules.import_module,
        plant.IMPORT_FROM: modules.import_from,
        plant.CHECKED_CLASS: guards.CheckedClass,
        plant.NAMED_CLASS: guards.NamedClass,
        plant.FETCHED: guards.Fetched,
        plant.TYPE: type,
        plant.SUPER: GuardedSuper,
        plant.PLAIN: PLAIN,
        plant.USER: USER,
        plant.REGISTRAR: Registrar(),
    }
    for value in table.values():
        if isinstance(value, types.FunctionType) and not is_dunder(value.__name__) and value.__name__.startswith("_"):
            value.__name__ = value.__qualname__ = value.__name__.lstrip("_")
    return table

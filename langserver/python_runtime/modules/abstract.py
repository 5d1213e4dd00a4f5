"""`isinstance(x, SomeABC)`: the library looks up whatever `x.__class__` says by hash and equality among its classes.
And the decorators of `abc`, which mark whatever they are given.
"""

from __future__ import annotations

import abc
from typing import Any, Final

from langserver.python_runtime.refusals import attribute
from langserver.python_runtime.userclasses import USER, is_user_class, is_user_function, mro_of

_ABC_META = abc.ABCMeta


def harden() -> None:
    """In the zygote: asks about real classes only. All of `isinstance`, patterns and C code come through here."""
    abc.ABCMeta.__instancecheck__ = _instancecheck  # type: ignore[method-assign]
    for decorator in (abc.abstractclassmethod, abc.abstractstaticmethod):
        decorator.__init__ = _marking_first(decorator.__init__)  # type: ignore[method-assign]


def _instancecheck(cls: Any, instance: Any) -> bool:
    """Override for isinstance(instance, cls)."""
    kind = type(instance)
    meta: Any = type(cls)
    if meta is not _ABC_META and _ABC_META not in mro_of(meta):  # reached unbound: it would be told the raw class
        raise TypeError("__instancecheck__() needs an abstract class")
    said = instance.__class__
    if said is not kind and issubclass(type(said), type) and meta.__subclasscheck__(cls, said):
        return True
    return bool(meta.__subclasscheck__(cls, kind))


def abstractmethod(funcobj: Any) -> Any:
    """`abc.abstractmethod`. Raises RefusedAttribute for functions and classes of the library: they would be marked."""
    kind = type(funcobj)
    if not (is_user_function(funcobj) or kind in USER or kind in _DECORATED or is_user_class(funcobj)):
        raise attribute("__isabstractmethod__", "it can be set on what this program defined")
    return abc.abstractmethod(funcobj)


_DECORATED: Final = (property, classmethod, staticmethod)


def _marking_first(init: Any) -> Any:
    def initialise(self: Any, callable: Any) -> None:  # noqa: A002 -- the library's name
        abstractmethod(callable)
        init(self, callable)

    return initialise


NAMES: Final[dict[str, Any]] = {"abstractmethod": abstractmethod}
_instancecheck.__name__, _instancecheck.__qualname__ = "__instancecheck__", "ABCMeta.__instancecheck__"

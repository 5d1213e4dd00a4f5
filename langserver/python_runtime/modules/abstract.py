"""`isinstance(x, SomeABC)`: the library looks up whatever `x.__class__` says by hash and equality among its classes."""

from __future__ import annotations

import abc
from typing import Any

from langserver.python_runtime.userclasses import mro_of

_ABC_META = abc.ABCMeta


def harden() -> None:
    """In the zygote: asks about real classes only. All of `isinstance`, patterns and C code come through here."""
    abc.ABCMeta.__instancecheck__ = _instancecheck  # type: ignore[method-assign]


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


_instancecheck.__name__, _instancecheck.__qualname__ = "__instancecheck__", "ABCMeta.__instancecheck__"

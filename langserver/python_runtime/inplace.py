"""Replaces methods of classes that the library wrote in C, so that every object of them has the new one.

A subclass would not do: `type(x) is datetime` must stay true of what C code makes, and a program could step past a
subclass to the class behind it.
"""

from __future__ import annotations

import ctypes
import gc
from typing import Any


def replace(cls: type, name: str, value: Any) -> None:
    """Makes `value` the attribute `name` of `cls`, which has it already. Raises RuntimeError where that fails.

    `name` must be an ordinary method, none of those behind operators (they have slots of their own). Called in the
    zygote, before any program.
    """
    held = type.__dict__["__dict__"].__get__(cls)
    # What the read-only view stands for. Static types refuse `setattr`, whatever the attribute.
    (namespace,) = (each for each in gc.get_referents(held) if type(each) is dict)
    assert name in namespace, name
    namespace[name] = value
    # Else the interpreter goes on with what it remembers of the class.
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))
    if cls.__dict__[name] is not value:
        raise RuntimeError(f"this interpreter does not let {cls.__name__}.{name} be replaced")

"""mini-racer's C functions: V8 comes as the shared library of the distribution mini-racer 0.14.1.

They are driven here and not by its Python classes: those start an asyncio loop, a second thread and sockets, and leave
a name of theirs on the global object. They are no public interface, so the version is pinned. What they leave out is
called in V8 itself (v8_interface.py).

The C side runs one thread an isolate. `mr_eval` and `mr_call_function` only hand work to it; its answer comes by a
call-back from that thread.
"""

from __future__ import annotations

import ctypes
import importlib.util
from typing import TYPE_CHECKING

from langserver.js_runtime.engine import EngineError


class _Union(ctypes.Union):
    _fields_ = [("pointer", ctypes.c_void_p), ("integer", ctypes.c_int64), ("double", ctypes.c_double)]


class Value(ctypes.Structure):
    """What goes in and out: a number, a text, or a handle of V8's."""

    _pack_ = 1
    _fields_ = [("value", _Union), ("length", ctypes.c_size_t), ("type", ctypes.c_uint8)]


if TYPE_CHECKING:
    ValuePointer = ctypes._Pointer[Value]  # the only name that typeshed has for it
_ValuePointer = ctypes.POINTER(Value)
Callback = ctypes.CFUNCTYPE(None, ctypes.c_uint64, _ValuePointer)

# Type numbers of `Value`.
UNREADABLE, INTEGER, TEXT, UNDEFINED, SHARED, FIRST_ERROR, UNPARSED = 0, 3, 5, 11, 101, 200, 201
_PACKAGE = "py_mini_racer"


def folder() -> str:
    """Where it is installed. Raises EngineError."""
    # Found, not imported: the package's own __init__ imports asyncio and 60 modules more into every child.
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EngineError("the JavaScript engine (mini-racer) is not installed")
    return spec.submodule_search_locations[0]


def load(path: str) -> ctypes.CDLL:
    """The library with its functions declared. Raises OSError, AttributeError when it is another."""
    library = ctypes.CDLL(path)
    number, pointer = ctypes.c_uint64, _ValuePointer
    for name, result, arguments in (
        ("mr_init_v8", None, [ctypes.c_char_p, ctypes.c_char_p]),
        ("mr_v8_version", ctypes.c_char_p, []),
        ("mr_init_context", number, [Callback]),
        ("mr_eval", number, [number, pointer, number]),
        ("mr_call_function", number, [number, pointer, pointer, pointer, number]),
        ("mr_alloc_int_val", pointer, [number, ctypes.c_int64, ctypes.c_uint8]),
        ("mr_alloc_string_val", pointer, [number, ctypes.c_char_p, number, ctypes.c_uint8]),
        ("mr_get_object_item", pointer, [number, pointer, pointer]),
        ("mr_free_value", None, [number, pointer]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library

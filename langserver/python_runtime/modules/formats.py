"""`struct` and `strptime` keep what they made of a format under that format, so it must be an exact one."""

from __future__ import annotations

import importlib
import struct
from collections.abc import Callable
from typing import Any, Final

from langserver.python_runtime.names import exact

_FUNCTIONS: Final = "calcsize iter_unpack pack pack_into unpack unpack_from".split()


def _exact_format(value: Any) -> str | bytes:
    if issubclass(type(value), str):
        return exact(value)
    if issubclass(type(value), bytes):
        return bytes.__getitem__(value, slice(None))
    raise TypeError(f"Struct() argument 1 must be a str or bytes object, not {type(value).__name__}")


def _with_exact_format(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(format: Any, /, *args: Any, **options: Any) -> Any:  # noqa: A002 -- the library's name
        return function(_exact_format(format), *args, **options)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


def harden() -> None:
    """In the zygote: `time.strptime` and `datetime.strptime` both come through here."""
    library: Any = importlib.import_module("_strptime")
    parse = library._strptime

    def strptime(data_string: Any, format: Any = "%a %b %d %H:%M:%S %Y") -> Any:  # noqa: A002
        return parse(data_string, exact(format) if issubclass(type(format), str) else format)

    library._strptime = strptime


STRUCT: Final[dict[str, Any]] = {name: _with_exact_format(getattr(struct, name)) for name in _FUNCTIONS}

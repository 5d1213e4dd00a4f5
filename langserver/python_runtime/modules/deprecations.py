"""`warnings.deprecated` (PEP 702), from CPython 3.13 on: calling what it decorates warns."""

from __future__ import annotations

import functools
import warnings
from typing import Any, Final

from langserver.python_runtime.modules.warners import warn
from langserver.python_runtime.userclasses import is_class, is_user_class, is_user_function


class deprecated:  # noqa: N801 -- the library's name
    """`warnings.deprecated`, for functions and classes of the program."""

    def __init__(self, message: str, /, *, category: Any = DeprecationWarning, stacklevel: int = 1) -> None:
        if not issubclass(type(message), str):
            raise TypeError(f"Expected an object of type str for 'message', not {type(message).__name__!r}")
        self.message = message
        self.category = category
        self.stacklevel = stacklevel

    def __call__(self, arg: Any, /) -> Any:
        message, category, stacklevel = self.message, self.category, self.stacklevel
        if category is None:
            return arg

        def tell() -> None:
            warn(message, category, stacklevel)

        if is_class(arg):
            return _deprecate_class(arg, tell)
        if type(arg) in (staticmethod, classmethod):
            raise TypeError("@deprecated goes below @staticmethod and @classmethod here")
        if not callable(arg):
            raise TypeError(
                "@deprecated decorator with non-None category must be applied to a class or callable, "
                f"not {type(arg).__name__}"
            )

        @functools.wraps(arg)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            tell()
            return arg(*args, **kwargs)

        return wrapper


def _deprecate_class(cls: Any, tell: Any) -> Any:
    if not is_user_class(cls) or issubclass(cls, type):
        raise TypeError("@deprecated takes classes of this program here")
    new, init_subclass = cls.__new__, cls.__init_subclass__

    def __new__(made: Any, /, *args: Any, **kwargs: Any) -> Any:  # noqa: N807 -- it becomes one
        if made is cls:
            tell()
        if new is not object.__new__:
            return new(made, *args, **kwargs)
        if made.__init__ is object.__init__ and (args or kwargs):
            raise TypeError(f"{made.__name__}() takes no arguments")
        return new(made)

    def __init_subclass__(*args: Any, **kwargs: Any) -> Any:  # noqa: N807
        tell()
        return init_subclass(*args, **kwargs)

    def of_subclass(*args: Any, **kwargs: Any) -> Any:
        tell()
        return written(*args, **kwargs)

    written: Any = getattr(init_subclass, "__func__", None)
    type.__setattr__(cls, "__new__", staticmethod(__new__))
    hook: Any = classmethod(of_subclass) if is_user_function(written) else staticmethod(__init_subclass__)
    type.__setattr__(cls, "__init_subclass__", hook)
    return cls


NAMES: Final[dict[str, Any]] = {"deprecated": deprecated} if hasattr(warnings, "deprecated") else {}

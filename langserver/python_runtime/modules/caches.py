"""`functools.lru_cache` with `typed=True`: the library compares its keys, which hold the raw classes of arguments, and
an argument of the program's may stand where another call's classes do.
"""

from __future__ import annotations

import functools
import typing
import urllib.parse
from collections.abc import Callable
from typing import Any, Final

from langserver.python_runtime.faces import class_of


def lru_cache(maxsize: Any = 128, typed: Any = False) -> Any:
    """`functools.lru_cache`; the classes of a key are those that the program sees, and stand before its arguments."""
    if not typed:
        return functools.lru_cache(maxsize)
    if callable(maxsize):
        return _typed(maxsize, 128)
    return lambda function: _typed(function, maxsize)


def _typed(function: Callable[..., Any], maxsize: int | None) -> Any:
    @functools.lru_cache(maxsize)
    def cached(kinds: tuple[Any, ...], /, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    def call(*args: Any, **kwargs: Any) -> Any:
        return cached(tuple(map(class_of, (*args, *kwargs.values()))), *args, **kwargs)

    made: Any = functools.update_wrapper(call, function)
    made.cache_info, made.cache_clear = cached.cache_info, cached.cache_clear
    made.cache_parameters = lambda: {**cached.cache_parameters(), "typed": True}
    return made


def harden() -> None:
    """In the zygote, once: the same of caches that programs reach through the library, which do without the classes."""
    split: Any = urllib.parse.urlsplit
    urllib.parse.urlsplit = functools.lru_cache(split.__wrapped__)
    for form in (typing.Literal, typing.Annotated):
        _without_cache(form)
    for forget in typing._cleanups:  # type: ignore[attr-defined]  # what the library itself asked for
        forget()


def _without_cache(form: Any) -> None:
    # Where the cache is: of `Literal`, and from 3.13 on of `Annotated`; before, of that as a class; in early 3.11.
    name = next(name for name in ("_getitem", "_class_getitem_inner", "__class_getitem__") if hasattr(form, name))
    held = vars(form)[name] if name == "__class_getitem__" else getattr(form, name)
    if isinstance(held, classmethod):
        setattr(form, name, classmethod(getattr(held.__func__, "__wrapped__", held.__func__)))
    else:
        setattr(form, name, getattr(held, "__wrapped__", held))


NAMES: Final[dict[str, Any]] = {"lru_cache": lru_cache}

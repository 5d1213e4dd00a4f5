"""Comparing aliases of `typing`: that of `Type[int]` stands for the raw `type`, that of `Annotated` for any object."""

from __future__ import annotations

import typing
from typing import Any

from langserver.python_runtime.userclasses import is_class


def harden() -> None:
    """In the zygote, once: a class is compared by identity, its alias tells nobody of it."""
    alias: Any = typing._GenericAlias  # type: ignore[attr-defined]
    alias.__eq__ = _equal


def _equal(self: Any, other: Any) -> Any:
    if not issubclass(type(other), typing._GenericAlias):  # type: ignore[attr-defined]
        return NotImplemented
    mine, its = self.__origin__, other.__origin__
    same = mine is its if is_class(mine) or is_class(its) else mine == its
    return same and self.__args__ == other.__args__

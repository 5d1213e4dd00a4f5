"""Exception groups: the interpreter calls `split` of what `except*` looks at, and takes the answer for a pair unseen.

The CPythons supported here read an answer that is no tuple as if it were one (issue 128049 of CPython). What classes of
the program may have is asked in `userclasses`.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from langserver.python_runtime import inplace
from langserver.python_runtime.refusals import RefusedAttribute

_NAMES: Final = ("split", "subgroup")


class _Method:
    """A method of groups that nothing in the dictionary of an instance takes the place of."""

    __slots__ = ("_method",)

    def __init__(self, method: Any) -> None:
        self._method = method

    def __get__(self, group: Any, owner: Any = None) -> Any:
        return self._method if group is None else self._method.__get__(group)

    def __set__(self, group: Any, value: Any) -> NoReturn:
        raise RefusedAttribute("an exception group may not have its own split or subgroup", "define derive() only")

    def __delete__(self, group: Any) -> NoReturn:
        raise AttributeError("this attribute cannot be deleted")


def harden() -> None:
    """In the zygote, once."""
    for name in _NAMES:
        inplace.replace(BaseExceptionGroup, name, _Method(BaseExceptionGroup.__dict__[name]))

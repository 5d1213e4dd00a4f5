"""What the zygote made is there for as long as it is: nobody need count the references to it.

A reference that a child takes writes to the object, and each page that is written to is copied. From CPython 3.12 on
the references to an object are not counted once their number has one certain value (PEP 683): nothing writes to it, and
nothing frees it.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import Final

_IMMORTAL: Final = 0xFFFFFFFF  # Include/object.h of 3.12 and 3.13, where a pointer has 64 bits


def make_immortal() -> None:
    """Makes immortal what the collector knows, and what can be reached from it that it does not know.

    Call it before `gc.freeze`, which hides objects. Does nothing where this CPython counts in another way.
    """
    if not _counts_as_expected():
        return
    todo: list[object] = []
    for known in gc.get_objects():  # neither `todo` nor the list itself is among them: what grows must not stay
        if isinstance(known, FrameType) or known is todo:
            continue
        _mark(known)
        todo.append(known)
        while todo:
            todo.extend(each for each in _below(todo.pop()) if not gc.is_tracked(each) and _mark(each))


def _counts_as_expected() -> bool:
    mortal = [object()]
    return (
        sys.maxsize > 1 << 32
        and _count(None).value == _IMMORTAL
        and _count(mortal[0]).value == sys.getrefcount(mortal[0]) - 1 == 1
    )


def _count(thing: object) -> ctypes.c_uint32:
    return ctypes.c_uint32.from_address(id(thing))


def _mark(thing: object) -> bool:
    """Whether it was mortal."""
    count = _count(thing)
    if count.value == _IMMORTAL:
        return False
    count.value = _IMMORTAL
    return True


def _below(thing: object) -> Iterable[object]:
    if isinstance(thing, CodeType):  # of which the collector knows nothing
        return thing.co_consts, thing.co_names, thing.co_filename, thing.co_name, thing.co_qualname
    return gc.get_referents(thing)

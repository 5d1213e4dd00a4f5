"""Where a zygote's memory lies: side by side, and in large pages where the kernel makes them.

A fork copies, and the end of a child takes apart, an entry for each page of the zygote: most of what both cost. For
the parts of a large page the kernel does it in one go, also when some were written to and are pages of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from langserver.sandbox import libc
from langserver.sandbox.proc import Proc

_LARGE_BYTES: Final = 2 << 20  # x86-64, and arm64 with pages of 4 KiB
# CPython has its small objects in arenas of one MiB (Objects/obmalloc.c), which lie wherever there is room between the
# libraries that modules load. Some are had before them, and kept by one object each until they are in use.
_ARENAS: Final = 12
_OBJECT_BYTES: Final = 470  # with its head one of the largest that go into an arena
_OBJECTS_OF_AN_ARENA: Final = 1953


@contextmanager
def side_by_side() -> Iterator[None]:
    """What is imported inside has its objects in one piece of memory, as far as that reaches."""
    objects = [bytes(_OBJECT_BYTES) for _ in range(_ARENAS * _OBJECTS_OF_AN_ARENA)]
    kept = objects[::_OBJECTS_OF_AN_ARENA]
    del objects
    yield
    del kept


def enlarge_pages(proc: Proc) -> None:
    """Puts into large pages what it can; `proc` shows this process. Linux before 6.1 has no call for it."""
    with suppress(OSError):
        for start, end in proc.anonymous_memory():
            for place in range(-(-start // _LARGE_BYTES) * _LARGE_BYTES, end - _LARGE_BYTES + 1, _LARGE_BYTES):
                with suppress(OSError):  # no large page is free
                    libc.madvise(place, _LARGE_BYTES, libc.MADV_COLLAPSE)

"""The kernel's order of killing when memory runs out: children first, never server or zygote."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_FIRST: Final = b"1000"


def open_score() -> int | None:
    """A descriptor of this process' own score, None where /proc does not offer it.

    To be called before the process goes non-dumpable: afterwards /proc/self belongs to root.
    """
    try:
        return os.open("/proc/self/oom_score_adj", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None


@contextmanager
def first_to_die(fd: int) -> Iterator[None]:
    """A process forked inside inherits the highest score; this one gets its own back. Raises OSError.

    The child can't write it itself: it is non-dumpable from its first instruction.
    """
    own = os.pread(fd, 16, 0)
    os.pwrite(fd, _FIRST, 0)
    try:
        yield
    finally:
        os.pwrite(fd, own, 0)

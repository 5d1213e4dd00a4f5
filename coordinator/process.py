"""What the process does to itself before it reads a secret."""

from __future__ import annotations

import ctypes
import os

from coordinator.errors import StartError

_PR_GET_DUMPABLE = 3  # prctl(2), linux/prctl.h
_PR_SET_DUMPABLE = 4


def forbid_dumps() -> None:
    """No core file; nobody of the same user reads our memory (tasks, passwords) through /proc or ptrace.

    Raises StartError.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 or libc.prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise StartError(f"this process cannot be made private: {os.strerror(ctypes.get_errno())}")

"""What this process gives up."""

from __future__ import annotations

import ctypes
import os
from typing import Final

from worker_bridge.errors import StartError

_PR_SET_DUMPABLE: Final = 4  # linux/prctl.h
_PR_GET_DUMPABLE: Final = 3


def forbid_dumps() -> None:
    """Nobody of the same user may look into this process through /proc or ptrace. Raises StartError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 or libc.prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise StartError(f"prctl(PR_SET_DUMPABLE) failed: {os.strerror(ctypes.get_errno())}")

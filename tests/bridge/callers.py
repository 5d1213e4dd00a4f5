"""Who a bridge is to servers that ask nobody."""

from __future__ import annotations

import time

from operating.access.caller import Caller, CallerFiles


def plain_caller(prefix: str = "LANG_WORKER") -> Caller:
    """In the clear, without a token."""
    return Caller(CallerFiles(prefix), time.monotonic)

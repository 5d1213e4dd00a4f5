"""Ending coroutines for certain."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final

_AGAIN_SECONDS: Final = 0.1


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancels and waits, again where it was in vain.

    Before Python 3.12 `asyncio.wait_for`, which redis-py sends with, can swallow a cancellation.
    """
    left = {task for task in tasks if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=_AGAIN_SECONDS)

"""Waiting for conditions, with generous guards."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any


async def until(condition: Callable[[], Any], seconds: float = 30.0, what: str = "") -> Any:
    """What `condition` gives once it is true; it may be a coroutine function."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while True:
        found = condition()
        if inspect.isawaitable(found):
            found = await found
        if found:
            return found
        assert loop.time() < deadline, what or f"it did not come within {seconds} s"
        await asyncio.sleep(0.01)

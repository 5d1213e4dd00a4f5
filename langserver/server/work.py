"""Work in the event loop that nobody waits for: a fault in it is told in the log, and it ends with its owner."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Work:
    """What one owner has under way. `owner` is its name in the log."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Begins it in a later turn of the loop."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)

    def cancel(self) -> None:
        """None of it goes on from here."""
        for task in self._tasks:
            task.cancel()

    async def ended(self) -> None:
        """Waits for what there is now."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("work on %s failed", self._owner, exc_info=error)

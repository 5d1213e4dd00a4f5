"""Waiting between tries."""

from __future__ import annotations

import asyncio
import random

from worker_bridge.core.backoff import Backoff


class Patience:
    """Waits longer with each failure in a row."""

    def __init__(self) -> None:
        self._backoff = Backoff()

    @property
    def first(self) -> bool:
        """Whether nothing has failed since the last success: a failure now is worth a line in the log."""
        return self._backoff.failures == 0

    async def wait(self) -> None:
        """After a failure."""
        self._backoff = self._backoff.failed()
        await asyncio.sleep(self._backoff.seconds(random.random()))  # noqa: S311 - jitter

    def reset(self) -> None:
        """After a success."""
        self._backoff = Backoff()

"""Looks for entries of one stream that nobody touches any more: their worker died, or gave them back."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Final

from worker_bridge.errors import StreamRefused, Unreachable
from worker_bridge.shell.hand import Hand
from worker_bridge.shell.links import Links
from worker_bridge.streams.port import Entry

log = logging.getLogger(__name__)

_IDLE_CONSUMER_SECONDS: Final = 3600.0


class Reclaimer:
    """Nothing is taken before `usable` returns, as for a Reader."""

    def __init__(
        self,
        stream: str,
        links: Links,
        hand: Hand,
        begin: Callable[[Entry], None],
        usable: Callable[[], Awaitable[None]],
        *,
        alarm: Callable[[str], None],
    ) -> None:
        self._stream = stream
        self._links = links
        self._hand = hand
        self._begin = begin
        self._usable = usable
        self._alarm = alarm

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            try:
                await self._round()
                for name in await self._links.streams.remove_idle_consumers(self._stream, _IDLE_CONSUMER_SECONDS):
                    log.info("%s: removed the consumer %s, idle for over an hour", self._stream, name)
            except StreamRefused as error:
                if error.fault:
                    self._alarm(f"{self._stream} cannot be looked through: {error}")
                else:
                    log.info("%s cannot be looked through, which is tried again: %s", self._stream, error)
            except Unreachable:  # of which the link tells
                pass
            # Bridges that were started together do not all look at once.
            await asyncio.sleep(self._links.timings.reclaim_every * random.uniform(0.9, 1.0))  # noqa: S311 - jitter

    async def _round(self) -> None:
        cursor = ""
        while True:
            await self._usable()
            slots = await self._hand.take(f"{self._stream} again")
            taken = 0
            try:
                claimed = await self._links.streams.claim(self._stream, self._links.timings.ttl, slots, cursor)
                taken = len(claimed.entries)
            finally:
                self._hand.give_back(slots - taken)
            for entry in claimed.entries:
                self._begin(entry)
            cursor = claimed.cursor
            if not cursor:
                return

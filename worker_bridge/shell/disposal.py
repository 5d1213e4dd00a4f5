"""Puts an entry where its fate says."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from worker_bridge.core.delivery import End, Fate
from worker_bridge.errors import StreamRefused, Unreachable
from worker_bridge.metrics import Metrics
from worker_bridge.shell.links import Links
from worker_bridge.shell.patience import Patience
from worker_bridge.streams.port import Entry

log = logging.getLogger(__name__)

_LOUD: Final = frozenset({Fate.PARK, Fate.LEAVE, Fate.ACK_IF_OURS})


class Disposal:
    """While the streams are away it tries on: what was reported would come back otherwise, to be dropped then.

    What Redis refuses is left at once, and does come back.
    """

    def __init__(self, links: Links, metrics: Metrics) -> None:
        self._streams = links.streams
        self._metrics = metrics
        self._timings = links.timings
        self._alarm = links.alarm

    async def put(self, entry: Entry, end: End, cut_off: asyncio.Future[None]) -> None:
        """Until it is done, or `cut_off` is."""
        patience = Patience()
        while True:
            try:
                await self._put(entry, end)
                break
            except StreamRefused as error:
                # To wait here would keep a slot from all other queues, perhaps for ever. The entry comes back.
                self._alarm(f"entries of {entry.stream} cannot be {end.fate.value}: {error}")
                end = End(Fate.LEAVE, "Redis refuses it")
            except Unreachable as error:
                if cut_off.done():
                    log.warning("%s %s could not be %s: %s", entry.stream, entry.id, end.fate.value, error)
                    return
                await patience.wait()
        self._metrics.ended(entry.stream, end.fate)
        level = logging.WARNING if end.fate in _LOUD else logging.DEBUG
        log.log(level, "%s %s is %s: %s", entry.stream, entry.id, end.fate.value, end.reason)

    async def _put(self, entry: Entry, end: End) -> None:
        match end.fate:
            case Fate.ACK:
                await self._streams.ack(entry.stream, entry.id)
            case Fate.ACK_IF_OURS:
                await self._streams.ack_if_mine(entry.stream, entry.id)
            case Fate.PARK:
                await self._streams.park(entry, end.reason)
            case Fate.SET_ASIDE:
                await self._streams.set_aside(entry)
            case Fate.GIVE_BACK:
                await self._streams.give_back(entry, self._timings.ttl)
            case Fate.LEAVE:
                pass

"""Reads one stream: takes new entries when there is a slot for them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from worker_bridge.errors import StreamRefused, Unreachable
from worker_bridge.shell.hand import Hand
from worker_bridge.shell.links import Links
from worker_bridge.shell.patience import Patience
from worker_bridge.streams.port import Entry

log = logging.getLogger(__name__)

_WAIT_SECONDS: Final = 2.0


class Reader:
    """`begin` is called with each entry, which then holds one slot of `hand`; `alarm`, with what needs an operator.

    Nothing is taken before `usable` returns: what nobody could execute, or get a lease for, is for other bridges.
    """

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
        patience = Patience()
        while True:
            try:
                if not await self._read():
                    await self._links.streams.wait(self._stream, _WAIT_SECONDS)
                patience.reset()
            except StreamRefused as error:
                if error.fault:
                    self._alarm(f"{self._stream} cannot be read: {error}")
                elif patience.first:
                    log.warning("%s cannot be read, which is tried again: %s", self._stream, error)
                await patience.wait()
            except Unreachable:  # of which the link tells
                await patience.wait()

    async def _read(self) -> int:
        await self._usable()
        slots = await self._hand.take(self._stream)
        entries: list[Entry] = []
        try:
            entries = await self._links.streams.read(self._stream, slots)
        finally:
            self._hand.give_back(slots - len(entries))
        for entry in entries:
            self._begin(entry)
        return len(entries)

"""Messages on their way in: of those that are not there yet only a few are received at a time.

gRPC takes the first 64 KiB of a message unasked, the rest only while a handler reads. So who reads decides how much
memory unfinished messages can have.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


class Crowded(Exception):
    """Too many messages come in slowly; worth another try after `retry_seconds`."""

    retry_seconds = 1.0


class Unsent(Exception):
    """A message did not come to its end."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the request did not arrive within {seconds:g} s")


@dataclass(frozen=True, slots=True)
class Lanes:
    """How many messages are received at once: `quick` ones, `quick_each` of one sender, each for `quick_seconds` at
    first; of those that take longer `slow`, `slow_each` of one sender, for up to `slow_seconds`, after a wait of up to
    `patience_seconds` for their turn.
    """

    quick: int
    quick_each: int
    quick_seconds: float
    slow: int
    slow_each: int
    slow_seconds: float
    patience_seconds: float


class _Sender:
    """What he has of both lanes, and the calls that know of him."""

    def __init__(self, places: int) -> None:
        self.places = asyncio.Semaphore(places)
        self.slow = 0
        self.calls = 0


class Intake:
    """Receives messages within its lanes. A small one is not held up by large or unfinished ones."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._quick = asyncio.Semaphore(lanes.quick)
        self._senders: dict[str, _Sender] = {}
        self._slow = 0
        self._waiting: set[asyncio.Future[None]] = set()

    async def take(self, name: str, read: Callable[[], Awaitable[bytes | None]]) -> bytes | None:
        """What `read` gives. Calls of one sender have the same `name`.

        Raises Crowded and Unsent; the call must then be ended, which ends its reading too.
        """
        sender = self._senders.setdefault(name, _Sender(self._lanes.quick_each))
        sender.calls += 1
        try:
            return await self._take(sender, read)
        finally:
            sender.calls -= 1
            if not sender.calls:
                del self._senders[name]

    async def _take(self, sender: _Sender, read: Callable[[], Awaitable[bytes | None]]) -> bytes | None:
        async with sender.places, self._quick:
            # Never cancelled: gRPC would not free what comes after that. It ends with its call.
            reading = asyncio.ensure_future(read())
            reading.add_done_callback(_look_at)
            if await _done(reading, self._lanes.quick_seconds):
                return reading.result()
            # In the quick lane still, since it goes on being received.
            await self._turn_comes(sender, reading)
            self._slow += 1
            sender.slow += 1
        try:
            if await _done(reading, self._lanes.slow_seconds):
                return reading.result()
        finally:
            self._slow -= 1
            sender.slow -= 1
            for turn in self._waiting:
                if not turn.done():
                    turn.set_result(None)
        raise Unsent(self._lanes.slow_seconds)

    async def _turn_comes(self, sender: _Sender, reading: asyncio.Future[bytes | None]) -> None:
        """Returns when there is a place in the slow lane, or none is needed any more."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._lanes.patience_seconds
        while not reading.done() and (self._slow >= self._lanes.slow or sender.slow >= self._lanes.slow_each):
            if loop.time() >= end:
                raise Crowded
            turn = loop.create_future()
            self._waiting.add(turn)
            try:
                await asyncio.wait({reading, turn}, timeout=end - loop.time(), return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._waiting.discard(turn)


async def _done(reading: asyncio.Future[bytes | None], seconds: float) -> bool:
    done, _ = await asyncio.wait({reading}, timeout=seconds)
    return bool(done)


def _look_at(reading: asyncio.Future[bytes | None]) -> None:
    if not reading.cancelled():
        reading.exception()  # that of a call that has ended

"""A connection's bytes: what came is kept until it is asked for, and no more is taken than there is room for."""

from __future__ import annotations

import asyncio
import select
from typing import Final

_ROOM_BYTES: Final = 128 << 10


class Wire(asyncio.Protocol):
    """One connection, TLS or not. Bytes that come while nobody expects any end it: they answer no request of ours."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._came = bytearray()
        self._expected = False
        self._paused = False
        self._over = False
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None

    @property
    def quiet(self) -> bool:
        """Open, with nothing on the way in or out."""
        if self._transport is None or self._over or self._came:
            return False
        return not self._transport.is_closing() and self._transport.get_write_buffer_size() == 0

    @property
    def at_rest(self) -> bool:
        """`quiet`, and the kernel has nothing for it either, such as an end that the event loop has not come to."""
        if not self.quiet:
            return False
        assert self._transport is not None
        waiting = select.poll()
        waiting.register(self._transport.get_extra_info("socket"), select.POLLIN | select.POLLRDHUP)
        return not waiting.poll(0)

    def send(self, data: bytes) -> None:
        """Hands over a whole request; an answer is expected from now on, also before all of it is sent."""
        assert self._transport is not None
        self._expected = True
        self._transport.write(data)

    async def receive(self) -> bytes:
        """What came; nothing when it ended. Raises OSError."""
        while not self._came:
            if self._error is not None:
                raise self._error
            if self._over:
                return b""
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        data = bytes(self._came)
        self._came.clear()
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return data

    def rest(self) -> None:
        """Nothing is expected any more."""
        self._expected = False

    def close(self) -> None:
        """Ends it now; what was not sent is not sent."""
        self._over = True
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if not self._expected:
            self.close()
            return
        self._came += data
        if len(self._came) > _ROOM_BYTES and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._over = True
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        self._over = True
        self._error = error
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

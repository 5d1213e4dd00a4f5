"""A TCP proxy that lets requests through and drops answers: what was asked for has happened, and nobody hears of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Proxy:
    """In front of a port of the loopback. `drops` is asked for each piece of an answer; True ends the connection."""

    def __init__(self, target: int, drops: Callable[[bytes], bool] = lambda answer: False) -> None:
        self._target = target
        self.drops = drops
        self.dropped = 0
        self.port = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in list(self._writers):
            writer.close()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            to_read, to_write = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        self._writers |= {writer, to_write}
        ways = {
            asyncio.create_task(self._forward(reader, to_write, answers=False)),
            asyncio.create_task(self._forward(to_read, writer, answers=True)),
        }
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for one in (writer, to_write):
            one.close()
            self._writers.discard(one)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool) -> None:
        try:
            while data := await reader.read(1 << 16):
                if answers and self.drops(data):
                    self.dropped += 1
                    return
                writer.write(data)
                await writer.drain()
        except OSError:
            return

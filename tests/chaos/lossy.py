"""A proxy between clients and Redis: now and then a connection is cut after a command took effect, before its reply."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Self


class LossyProxy:
    """Listens on a free port of loopback and passes bytes on to `target`; one answer in `one_in` is lost."""

    def __init__(self, target: int, one_in: int, seed: int) -> None:
        self._target, self._one_in, self._random = target, one_in, Random(seed)
        self._running: set[asyncio.Task[None]] = set()
        self.lost = 0
        self.calm = False

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            above_reader, above_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:  # it is being restarted
            writer.close()
            return
        up = asyncio.create_task(_pump(reader, above_writer))
        try:
            while data := await above_reader.read(1 << 16):
                if not self.calm and self._random.randrange(self._one_in) == 0:
                    self.lost += 1
                    return
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            up.cancel()
            above_writer.close()
            writer.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()

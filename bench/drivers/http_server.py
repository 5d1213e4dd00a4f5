"""An HTTP server that does nothing but answer. Prints its address; `/connections` says how many it has had."""

from __future__ import annotations

import asyncio
from typing import Final

_BODY: Final = b'{"id": 7, "name": "Ada", "tags": ["a", "b"], "total": 42.5}'


class Answering(asyncio.Protocol):
    """Takes everything up to an empty line for a request, and has no bodies."""

    connections = 0

    def __init__(self) -> None:
        self._came = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        Answering.connections += 1

    def data_received(self, data: bytes) -> None:
        self._came += data
        while b"\r\n\r\n" in self._came:
            head, _, self._came = self._came.partition(b"\r\n\r\n")
            body = str(Answering.connections).encode() if b" /connections " in head else _BODY
            start = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
            self._transport.write(start + body)


async def main() -> None:
    """Until it is ended."""
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
    print(f"http server listening on 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


asyncio.run(main())

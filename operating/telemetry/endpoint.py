"""Where Prometheus asks for figures: HTTP on a port of its own, bounded in all that a stranger decides on.

It runs on the event loop, in small pieces: what a thread renders in one go would hold the interpreter, and with it
every call, for as long. Nobody is waited for: a connection has one request and a few seconds, there are few of them,
and few are taken a second, so that not even a flood of them costs more than some per cent of a core.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NoReturn

import h11
from prometheus_client import CollectorRegistry, Metric, disable_created_metrics, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

log = logging.getLogger(__name__)

_PATH: Final = b"/metrics"
_SECONDS: Final = 5.0  # for one connection, all of it
_CONNECTIONS: Final = 16
_WAITING: Final = 16  # to be accepted
_PAUSE_SECONDS: Final = 0.01  # between two that are accepted
_REQUEST_BYTES: Final = 8 << 10
_READ_BYTES: Final = 4 << 10
_SHARE: Final = 0.05  # of a core, for rendering: asked more often, it gives the same figures again

# Each counter and histogram would have a second series, with the moment at which it was made.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Endpoint:
    """Answers `GET /metrics` with the figures of one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._socket: socket.socket | None = None
        self._serving: asyncio.Task[NoReturn] | None = None
        self._connections: dict[asyncio.Task[None], None] = {}  # in the order they came
        self._rendered: asyncio.Task[bytes] | None = None
        self._good_until = 0.0

    def listen(self, host: str, port: int) -> int:
        """Takes the port and answers from now on; returns its number, for port 0. Raises OSError."""
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, place = found[0]
        self._socket = socket.create_server(place, family=family, backlog=_WAITING)
        self._socket.setblocking(False)
        self._serving = asyncio.get_running_loop().create_task(self._serve(self._socket))
        return int(self._socket.getsockname()[1])

    async def close(self) -> None:
        """Answers no more."""
        tasks = [*self._connections, *(task for task in (self._serving, self._rendered) if task is not None)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._socket is not None:
            self._socket.close()

    async def _serve(self, listening: socket.socket) -> NoReturn:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(listening)
            except OSError:  # it was gone again, or no descriptor is left (accept(2))
                await asyncio.sleep(1)
                continue
            if len(self._connections) >= _CONNECTIONS:
                # The oldest had the most time: who sends his request at once is never that one.
                next(iter(self._connections)).cancel()
            answering = loop.create_task(self._answer(connection))
            self._connections[answering] = None
            answering.add_done_callback(self._connections.pop)
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _answer(self, connection: socket.socket) -> None:
        peer = h11.Connection(h11.SERVER, max_incomplete_event_size=_REQUEST_BYTES)
        with connection, suppress(OSError, TimeoutError, h11.LocalProtocolError):
            async with asyncio.timeout(_SECONDS):
                try:
                    request = await _request(peer, connection)
                except h11.RemoteProtocolError as error:
                    await _send(peer, connection, error.error_status_hint, b"")
                    return
                if request is None:
                    return
                if request.target.partition(b"?")[0] != _PATH:
                    await _send(peer, connection, 404, b"the figures are at /metrics\n")
                elif request.method != b"GET":
                    await _send(peer, connection, 405, b"")
                else:
                    await _send(peer, connection, *await self._figures())

    async def _figures(self) -> tuple[int, bytes]:
        """Status and text: as they are; to those who ask too often, as they were a moment ago."""
        rendered = self._rendered
        if rendered is None or (rendered.done() and asyncio.get_running_loop().time() >= self._good_until):
            self._rendered = rendered = asyncio.get_running_loop().create_task(self._render())
        try:
            return 200, await asyncio.shield(rendered)
        except Exception:
            log.exception("the figures could not be made")
            return 500, b""

    async def _render(self) -> bytes:
        loop = asyncio.get_running_loop()
        families, spent = iter(self._registry.collect()), 0.0
        parts: list[bytes] = []
        while True:
            begun = loop.time()
            family = next(families, None)
            if family is None:
                self._good_until = loop.time() + spent * (1 / _SHARE - 1)
                return b"".join(parts)
            parts.append(generate_latest(_One(family)))
            spent += loop.time() - begun
            await asyncio.sleep(0)


class _One:
    """A registry with one family."""

    def __init__(self, family: Metric) -> None:
        self._family = family

    def collect(self) -> Iterable[Metric]:
        """See prometheus_client."""
        return [self._family]


async def _request(peer: h11.Connection, connection: socket.socket) -> h11.Request | None:
    """The head of a request; None where none comes. Raises h11.RemoteProtocolError."""
    loop = asyncio.get_running_loop()
    while (event := peer.next_event()) is h11.NEED_DATA:
        peer.receive_data(await loop.sock_recv(connection, _READ_BYTES))
    return event if isinstance(event, h11.Request) else None


async def _send(peer: h11.Connection, connection: socket.socket, status: int, body: bytes) -> None:
    headers = [
        ("Content-Type", CONTENT_TYPE_PLAIN_0_0_4),
        ("Content-Length", str(len(body))),
        ("Connection", "close"),
    ]
    head = peer.send(h11.Response(status_code=status, headers=headers))
    await asyncio.get_running_loop().sock_sendall(connection, (head or b"") + body)

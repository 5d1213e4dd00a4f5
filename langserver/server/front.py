"""What callers reach: a gRPC server, and another one in its place should it end by itself.

Tasks and pools know nothing of it: what runs goes on, and its answers still go out. Callers see a short UNAVAILABLE.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import NoReturn, TypeAlias

import grpc

from langserver.errors import StartError
from operating.access.address import Address

log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.2
_REBIND_SECONDS = 5.0
_STOP_SECONDS = 5.0

# Makes a server that has its services and its port, and tells the address that became of the one asked for.
Build: TypeAlias = "Callable[[Address], tuple[grpc.aio.Server, Address]]"


class Front:
    """One server at a time takes calls; those that ended by themselves may still finish theirs."""

    def __init__(self, build: Build, address: Address, linger_seconds: float) -> None:
        """Takes the port. `linger_seconds` is what calls may take on a server that has ended. Raises StartError."""
        self._build = build
        self._linger_seconds = linger_seconds
        self._server, self.address = build(address)
        self._lingering: dict[asyncio.Task[None], grpc.aio.Server] = {}

    async def start(self) -> None:
        """Begins to take calls."""
        await self._server.start()

    async def keep(self) -> NoReturn:
        """Sees to it that there is a server. Raises StartError when there can't be one any more."""
        while True:
            why = await _end_of(self._server)
            log.error("the gRPC server has ended by itself (%s): another takes its place at %s", why, self.address)
            self._let_finish(self._server)
            self._server = await self._another()
            await self._server.start()

    async def stop(self, grace_seconds: float) -> None:
        """Takes no more calls; ends those that are left after `grace_seconds`. Returns in bounded time."""
        servers = [self._server, *self._lingering.values()]
        stops = {asyncio.ensure_future(server.stop(grace_seconds)) for server in servers}
        _, late = await asyncio.wait(stops, timeout=grace_seconds + _STOP_SECONDS)
        if late:
            log.error("%d gRPC servers did not stop", len(late))

    def _let_finish(self, server: grpc.aio.Server) -> None:
        stop = asyncio.ensure_future(server.stop(self._linger_seconds))
        self._lingering[stop] = server
        stop.add_done_callback(self._lingering.pop)

    async def _another(self) -> grpc.aio.Server:
        loop = asyncio.get_running_loop()
        end = loop.time() + _REBIND_SECONDS
        while True:
            try:
                server, _ = self._build(self.address)
            except StartError:
                if loop.time() > end:
                    raise
                await asyncio.sleep(_LOOK_SECONDS)
            else:
                return server


async def _end_of(server: grpc.aio.Server) -> str:
    """Waits until it has ended; returns why. Looks now and then, since a wait without an end is for its last call."""
    try:
        while await server.wait_for_termination(_LOOK_SECONDS):
            pass
    except Exception as error:  # noqa: BLE001 - what killed it is what is asked for
        return type(error).__name__
    return "no reason given"

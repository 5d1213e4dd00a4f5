"""The connections that all requests of a bridge share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from worker_bridge.executors.egress.url import Target
from worker_bridge.executors.http.connection import Connection

IDLE: Final = 100
A_HOST: Final = 20
IDLE_SECONDS: Final = 90.0


class Pool:
    """At most 20 connections to a host; at most 100 that nobody uses, each for 90 s."""

    def __init__(self, dial: Callable[[Target], Awaitable[Connection]]) -> None:
        self._dial = dial
        self._idle: dict[Connection, asyncio.TimerHandle] = {}  # the longest idle first
        # Of hosts that somebody wants now: its connections in use, and how many tasks use or wait for one.
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._users: dict[str, int] = {}

    @asynccontextmanager
    async def connection(self, target: Target, *, fresh: bool = False) -> AsyncIterator[Connection]:
        """One to `target`, `fresh` or not. Left before its response has been read whole, it is closed."""
        host = target.host
        self._users[host] = self._users.get(host, 0) + 1
        try:
            async with self._turns.setdefault(host, asyncio.Semaphore(A_HOST)):
                connection = None if fresh else self._waiting(target)
                connection = connection or await self._dial(target)
                try:
                    yield connection
                finally:
                    self._put_back(connection)
        finally:
            self._users[host] -= 1
            if not self._users[host]:
                del self._users[host], self._turns[host]

    def close(self) -> None:
        """Closes those that nobody uses."""
        for connection in list(self._idle):
            self._drop(connection)

    def _waiting(self, target: Target) -> Connection | None:
        """The one used last: it is the likeliest to be still open."""
        for connection in reversed(list(self._idle)):
            if connection.origin == target.origin:
                if connection.open:
                    self._idle.pop(connection).cancel()
                    return connection
                self._drop(connection)
        return None

    def _put_back(self, connection: Connection) -> None:
        if not connection.again():
            connection.close()
            return
        expiry = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._drop, connection)
        self._idle[connection] = expiry
        same_host = [one for one in self._idle if one.origin[1] == connection.origin[1]]
        if len(same_host) > A_HOST:
            self._drop(same_host[0])
        elif len(self._idle) > IDLE:
            self._drop(next(iter(self._idle)))

    def _drop(self, connection: Connection) -> None:
        self._idle.pop(connection).cancel()
        connection.close()

"""The connections that all requests of a bridge share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from worker_bridge.executors.egress.url import Target
from worker_bridge.executors.http.connection import Connection

IDLE: Final = 100
A_HOST: Final = 20
IDLE_SECONDS: Final = 90.0


@dataclass(slots=True)
class _Host:
    """One that somebody wants now; `users` are those who have a connection, and those who wait for one."""

    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(A_HOST))
    users: int = 0


class Pool:
    """At most 20 connections in use to a host, and 20 that nobody uses; of those 100 in all, each for 90 s."""

    def __init__(self, dial: Callable[[Target], Awaitable[Connection]]) -> None:
        self._dial = dial
        self._hosts: dict[str, _Host] = {}
        self._idle: dict[Connection, float] = {}  # since when; the longest idle first
        self._sweep: asyncio.TimerHandle | None = None

    async def take(self, target: Target, *, fresh: bool = False) -> Connection:
        """A connection to `target`, `fresh` or not, that is given to `put_back` whatever happens."""
        host = self._hosts.get(target.host)
        if host is None:
            host = self._hosts[target.host] = _Host()
        host.users += 1
        try:
            await host.turns.acquire()
            try:
                return (None if fresh else self._waiting(target)) or await self._dial(target)
            except BaseException:
                host.turns.release()
                raise
        except BaseException:
            self._leave(target.host, host)
            raise

    def put_back(self, connection: Connection) -> None:
        """Keeps it if another request may follow, and closes it else."""
        name = connection.origin[1]
        host = self._hosts[name]
        host.turns.release()
        self._leave(name, host)
        if not connection.again():
            connection.close()
            return
        loop = asyncio.get_running_loop()
        self._idle[connection] = loop.time()
        self._sweep = self._sweep or loop.call_later(IDLE_SECONDS, self._swept)
        if len(self._idle) > A_HOST:
            self._make_room(name)

    def close(self) -> None:
        """Closes those that nobody uses."""
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for connection in list(self._idle):
            self._drop(connection)

    def _leave(self, name: str, host: _Host) -> None:
        host.users -= 1
        if not host.users:
            del self._hosts[name]

    def _waiting(self, target: Target) -> Connection | None:
        """The one used last: it is the likeliest to be still open."""
        found = next((one for one in reversed(self._idle) if one.origin == target.origin), None)
        if found is None:
            return None
        del self._idle[found]
        if found.open:
            return found
        found.close()
        return self._waiting(target)

    def _make_room(self, name: str) -> None:
        same_host = [one for one in self._idle if one.origin[1] == name]
        if len(same_host) > A_HOST:
            self._drop(same_host[0])
        elif len(self._idle) > IDLE:
            self._drop(next(iter(self._idle)))

    def _swept(self) -> None:
        loop = asyncio.get_running_loop()
        while self._idle:
            oldest, since = next(iter(self._idle.items()))
            if since + IDLE_SECONDS > loop.time():
                self._sweep = loop.call_at(since + IDLE_SECONDS, self._swept)
                return
            self._drop(oldest)
        self._sweep = None

    def _drop(self, connection: Connection) -> None:
        del self._idle[connection]
        connection.close()

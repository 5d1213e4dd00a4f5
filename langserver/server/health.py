"""grpc.health.v1: an entry for each runtime, and the entry "" for the server, which serves while one of them does.

Nobody waits for a watcher here. The library's own service holds a lock while it writes to one, so that a single caller
who does not read stops every entry for good, and the drain with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from google.protobuf.message import Message
from grpc_health.v1 import health_pb2

from langserver.server.call import Call
from langserver.server.statuses import NotFound, TooMany, Unread

_SERVING, _NOT_SERVING, _UNKNOWN = (
    health_pb2.HealthCheckResponse.SERVING,
    health_pb2.HealthCheckResponse.NOT_SERVING,
    health_pb2.HealthCheckResponse.SERVICE_UNKNOWN,
)
_WHOLE_SERVER: Final = ""
_READ_SECONDS = 20
_MOST_WATCHERS = 1000  # they need no token, and cost some 20 KiB each


class Health:
    """What pools and drain tell, and the calls that ask for it."""

    def __init__(self, runtimes: Iterable[str]) -> None:
        self._serving = dict.fromkeys(runtimes, False)
        self._draining = False
        self._watchers: set[asyncio.Event] = set()

    def listener(self, runtime: str) -> Callable[[bool], None]:
        """What a pool calls when it can, or can't, give children."""

        def on_health(serving: bool) -> None:
            self._serving[runtime] = serving
            self._wake()

        return on_health

    def serves(self, runtime: str) -> bool:
        """Whether tasks of it are taken."""
        return self._serving[runtime] and not self._draining

    def drain(self) -> None:
        """Nothing serves any more, for good."""
        self._draining = True
        self._wake()

    def status(self, name: str) -> health_pb2.HealthCheckResponse.ServingStatus | None:
        """The status of an entry; None where there is no such entry."""
        if name == _WHOLE_SERVER:
            serving = any(self._serving.values())
        elif name in self._serving:
            serving = self._serving[name]
        else:
            return None
        return _SERVING if serving and not self._draining else _NOT_SERVING

    async def check(self, request: health_pb2.HealthCheckRequest, call: Call) -> None:
        """One answer. Raises NotFound and Unread."""
        status = self.status(request.service)
        if status is None:
            raise NotFound("there is no such health entry")
        await _tell(call, health_pb2.HealthCheckResponse(status=status))

    async def watch(self, request: health_pb2.HealthCheckRequest, call: Call) -> None:
        """The status now and after each change; what changed while the caller did not read is left out.

        Raises TooMany, and Unread when he takes nothing for too long.
        """
        if len(self._watchers) >= _MOST_WATCHERS:
            raise TooMany(f"{_MOST_WATCHERS} callers watch already: use Check")
        changed = asyncio.Event()
        self._watchers.add(changed)
        told: health_pb2.HealthCheckResponse.ServingStatus | None = None
        try:
            while True:
                changed.clear()
                status = self.status(request.service)
                status = _UNKNOWN if status is None else status
                if status != told:
                    await _tell(call, health_pb2.HealthCheckResponse(status=status))
                    told = status
                await changed.wait()
        finally:
            self._watchers.discard(changed)

    def _wake(self) -> None:
        for changed in self._watchers:
            changed.set()


async def _tell(call: Call, message: Message) -> None:
    try:
        async with asyncio.timeout(_READ_SECONDS):
            await call.write(message)
    except TimeoutError:
        raise Unread(_READ_SECONDS) from None

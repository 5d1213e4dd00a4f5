"""The language servers of one runtime: which to take next, and which are well."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from langserver.pb import lang_pb2_grpc
from operating.access.caller import Caller
from worker_bridge.channels import is_fault, open_channel, words
from worker_bridge.core.backoff import LONGEST_SECONDS, Backoff

log = logging.getLogger(__name__)

_CHECK_SECONDS: Final = 5.0
_CHECK_SICK_SECONDS: Final = 1.0
_CHECK_DEADLINE: Final = 3.0


@dataclass(eq=False, slots=True)
class Server:
    """One address. `rests_until`: not before then, it has just failed or is full."""

    address: str
    channel: grpc.aio.Channel
    well: bool = True
    running: int = 0
    rests_until: float = 0.0
    trouble: Backoff = field(default_factory=Backoff)

    @property
    def stub(self) -> lang_pb2_grpc.LanguageServerAsyncStub:
        """Its service."""
        return lang_pb2_grpc.LanguageServerStub(self.channel)

    def rest(self, asked_seconds: float) -> None:
        """After a failure: as long as it asks, or longer with each failure."""
        self.trouble = self.trouble.failed()
        seconds = max(min(asked_seconds, LONGEST_SECONDS), self.trouble.seconds(random.random()))  # noqa: S311 - jitter
        self.rests_until = time.monotonic() + seconds

    def answered(self) -> None:
        """It works."""
        self.trouble, self.rests_until = Backoff(), 0.0


class Servers:
    """All addresses of one runtime."""

    def __init__(self, runtime: str, addresses: Sequence[str], alarm: Callable[[str], None], caller: Caller) -> None:
        """`alarm` is told what an operator has to mend. Raises StartError."""
        self._runtime = runtime
        self._alarm = alarm
        self._caller = caller
        self._servers = [Server(address, open_channel(address, caller)) for address in addresses]
        self._changed = asyncio.Event()
        self._checks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Looks after their health from now on."""
        self._checks = [asyncio.create_task(self._watch(server)) for server in self._servers]

    async def usable(self) -> None:
        """Returns when one of them is well and does not rest."""
        while not self._ready():
            now = time.monotonic()
            wakes = [server.rests_until - now for server in self._servers if server.well]
            await self._change(max(min(wakes, default=LONGEST_SECONDS), 0.0))

    async def take(self) -> Server:
        """The least busy of those that are well and do not rest; waits for one. `release` it."""
        await self.usable()
        chosen = min(self._ready(), key=lambda server: server.running)
        # The next of those that are as busy comes first next time.
        self._servers.remove(chosen)
        self._servers.append(chosen)
        chosen.running += 1
        return chosen

    @property
    def well(self) -> int:
        """How many answer."""
        return sum(server.well for server in self._servers)

    def release(self, server: Server) -> None:
        """It is not used any more for this execution."""
        server.running -= 1

    async def close(self) -> None:
        """Ends the checks and the channels."""
        for check in self._checks:
            check.cancel()
        await asyncio.gather(*self._checks, return_exceptions=True)
        for server in self._servers:
            await server.channel.close()

    def _ready(self) -> list[Server]:
        now = time.monotonic()
        return [server for server in self._servers if server.well and server.rests_until <= now]

    async def _change(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            pass

    async def _watch(self, server: Server) -> None:
        stub = health_pb2_grpc.HealthStub(server.channel)
        request = health_pb2.HealthCheckRequest(service=self._runtime)
        while True:
            why, fault = await self._ask(stub, request)
            if server.well is not (why is None):
                server.well = why is None
                text = f"{self._runtime} at {server.address} is {why or 'serving'}"
                if fault:
                    self._alarm(text)
                else:
                    log.log(logging.INFO if server.well else logging.WARNING, "%s", text)
                if server.well:
                    server.answered()
                    self._changed.set()
                    self._changed = asyncio.Event()
            await asyncio.sleep(_CHECK_SECONDS if server.well else _CHECK_SICK_SECONDS)

    async def _ask(
        self, stub: health_pb2_grpc.HealthStub, request: health_pb2.HealthCheckRequest
    ) -> tuple[str | None, bool]:
        """None: it serves. Otherwise how it is instead, and whether an operator has to mend it. Needs no token."""
        try:
            answer = await stub.Check(request, timeout=_CHECK_DEADLINE)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNIMPLEMENTED:  # it can only be tried
                return None, False
            return f"not reached: {words(error, self._caller)}", is_fault(error, self._caller)
        if answer.status == health_pb2.HealthCheckResponse.SERVING:
            return None, False
        return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)), False

"""All parts of an installation, started and stopped together."""

from __future__ import annotations

import asyncio
import os
import tempfile
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Final, Self

from coordinator.app import Coordinator
from coordinator.commands.serve import tracing_of_a_coordinator
from coordinator.errors import StartError
from coordinator.settings import Settings as CoordinatorSettings
from langserver.settings import Settings as LanguageSettings
from langserver_dev.language_server import LanguageServer
from worker_bridge.app import Bridge
from worker_bridge.commands.run import tracing_of_a_bridge
from worker_bridge.errors import StartError as BridgeStartError
from worker_bridge.settings import Settings as BridgeSettings
from worker_bridge.streams.memory import MemoryStreams

_DATABASE: Final = "COORDINATOR_DATABASE_URL"
_REDIS: Final = "REDIS_ADDR"


class Stack:
    """`async with` starts and stops it. Settings are those of the parts; what is not set is thrown away at the end.

    Without REDIS_ADDR the streams are in this process, without COORDINATOR_DATABASE_URL the tasks in a folder that goes
    with it. `listen` is the coordinator's address in the place of COORDINATOR_LISTEN_ADDR.
    """

    def __init__(self, listen: str | None = None) -> None:
        self._listen = listen
        self._parts = AsyncExitStack()
        self.language_server = LanguageServer()
        self.streams = None if os.environ.get(_REDIS) else MemoryStreams()

    async def __aenter__(self) -> Self:
        """Raises StartError."""
        try:
            await self._start()
        except BaseException as error:
            await self._parts.aclose()
            if isinstance(error, BridgeStartError):
                raise StartError(str(error)) from None
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._parts.aclose()

    async def _start(self) -> None:
        runtimes = LanguageSettings().runtimes
        self._parts.push_async_callback(self.language_server.stop)
        await self.language_server.start()
        # Not before: their threads must not be there when the language server is forked.
        seen_by_coordinator, seen_by_bridge = tracing_of_a_coordinator(), tracing_of_a_bridge()
        for tracing in (seen_by_coordinator, seen_by_bridge):
            if tracing is not None:
                self._parts.callback(tracing.close)
        self.coordinator = await self._parts.enter_async_context(
            Coordinator(self._settings(), self.streams, seen_by_coordinator)
        )
        settings = BridgeSettings(
            coordinator_addr=str(self.coordinator.address),
            lang_worker_addrs=dict.fromkeys(runtimes, (self.language_server.address,)),
        )
        consumer = None if self.streams is None else self.streams.consumer(settings.worker_id)
        self.bridge = Bridge(settings, consumer, tracing=seen_by_bridge)
        begun = asyncio.Event()
        self._bridge = asyncio.create_task(self.bridge.run(begun.set))
        self._parts.push_async_callback(self._stop_bridge)
        await self._until_begun(begun)

    def _settings(self) -> CoordinatorSettings:
        given = {} if self._listen is None else {"listen_addr": self._listen}
        if not os.environ.get(_DATABASE):
            folder = self._parts.enter_context(tempfile.TemporaryDirectory(prefix="langserver-dev-"))
            given["database_url"] = f"sqlite:///{folder}/coordinator.db"
        return CoordinatorSettings(**given)

    async def _until_begun(self, begun: asyncio.Event) -> None:
        waiting = asyncio.create_task(begun.wait())
        await asyncio.wait((waiting, self._bridge), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._bridge.done():
            self._bridge.result()

    async def _stop_bridge(self) -> None:
        self.bridge.stop()
        await asyncio.wait((self._bridge,))

    async def broken(self) -> str:
        """Waits until a part has ended by itself; which, in words."""
        server = asyncio.create_task(self.language_server.ended())
        try:
            await asyncio.wait((server, self._bridge), return_when=asyncio.FIRST_COMPLETED)
            if server.done():
                return f"the language server ended with status {server.result()}"
            return f"the bridge ended: {self._bridge.exception() or 'nobody told it to'}"
        finally:
            server.cancel()

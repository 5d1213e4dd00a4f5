"""The life of a coordinator: start, serve, stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

import grpc

from coordinator.audit import Audit
from coordinator.core.retry import RetryRule
from coordinator.dead_letters import DeadLetters
from coordinator.dispatcher import Dispatcher
from coordinator.endpoint import bind, make_server
from coordinator.errors import StartError, StoreUnavailable
from coordinator.metrics import Metrics
from coordinator.pb import coordinator_pb2_grpc as pb_grpc
from coordinator.service import CoordinatorService, Rules, WorkflowService
from coordinator.settings import Settings
from coordinator.store import outbox
from coordinator.store.database import Database
from coordinator.store.opened import opener
from coordinator.streams.port import StreamPort
from coordinator.streams.redis import RedisStreams
from coordinator.sweeper import Sweeper, SweepPlan
from operating.access.address import Address, parse_tcp_address
from operating.access.exposure import Protection, check_exposure
from operating.access.keys import Keys
from operating.redis.link import Link

if TYPE_CHECKING:
    from operating.tracing.tracer import Tracing

log = logging.getLogger(__name__)

_LAST_CALLS_SECONDS: Final = 5.0
_AGAIN_SECONDS: Final = 1.0
_FIGURES_SECONDS: Final = 5.0


class Coordinator:
    """Starts within a running loop; `async with` starts and stops it."""

    def __init__(self, settings: Settings, streams: StreamPort | None = None, tracing: Tracing | None = None) -> None:
        """`streams` in the place of the Redis server that the settings name; it is not closed at the end, nor is
        `tracing`, where spans go.
        """
        self._settings = settings
        self._given = streams
        self._tracing = tracing
        self._audit = Audit()
        self._streams: StreamPort | None = None
        self._database: Database | None = None
        self._server: grpc.aio.Server | None = None
        self._loops: list[asyncio.Task[None]] = []
        self.address: Address = parse_tcp_address(settings.listen_addr)
        self.metrics = Metrics()

    def handshakes_failed(self, reasons: Mapping[str, int]) -> None:
        """So many clients could not connect, by reason."""
        self.metrics.handshakes_failed(reasons)
        self._audit.handshakes_failed(reasons)

    async def start(self) -> None:
        """Opens the database, listens and begins to dispatch; `address` then has the port. Raises StartError."""
        settings = self._settings
        try:
            self.keys = keys = Keys(settings.key_files)
            self.metrics.shows_certificate(lambda: keys.certificate_ends_at)
            check_exposure("COORDINATOR", self.address, _protection(settings), settings.allow_insecure)
        except (OSError, ValueError) as error:
            raise StartError(str(error)) from None
        try:
            self._serve_metrics()
            self._database = await asyncio.to_thread(opener(settings.database_url.get_secret_value()))
            self._streams = self._given or _redis(settings)
            await self._serve(self._database, self._streams)
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Lets calls that run come to their end, and closes what was opened."""
        if self._server is not None:
            await self._server.stop(_LAST_CALLS_SECONDS)
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        if self._streams is not None and self._given is None:
            await self._streams.close()
        if self._database is not None:
            await self._database.close()
        await self.metrics.close()
        self._audit.close()
        self._server, self._database, self._streams, self._loops = None, None, None, []

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def _stranger_refused(self) -> None:
        self.metrics.stranger_refused()
        self._audit.stranger_refused()

    async def _serve(self, database: Database, streams: StreamPort) -> None:
        settings = self._settings
        prefix, shards = settings.stream_prefix, settings.stream_shards
        dispatcher = Dispatcher(database, streams, prefix, shards, self.metrics)
        plan = SweepPlan(settings.sweep_seconds, settings.retention_seconds, settings.max_deliveries)
        sweeper = Sweeper(database, streams, plan, dispatcher.wake, self.metrics)
        rules = Rules(
            lease_seconds=settings.lease_ttl_seconds,
            max_attempts=settings.max_attempts,
            most_lost=settings.max_deliveries,
            require_digest=settings.require_digest,
            retry=RetryRule(settings.retry_seconds),
        )
        letters = DeadLetters(database, streams, prefix, shards, self.metrics)
        self._server = server = make_server(self.keys, self._stranger_refused, self._tracing)
        pb_grpc.add_WorkflowServiceServicer_to_server(
            WorkflowService(database, rules, dispatcher.wake, sweeper.call, metrics=self.metrics, audit=self._audit),
            server,
        )
        pb_grpc.add_CoordinatorServicer_to_server(
            CoordinatorService(
                database, letters, settings.max_attempts, dispatcher.wake, metrics=self.metrics, audit=self._audit
            ),
            server,
        )
        self.address = bind(server, self.address, self.keys.credentials())
        await server.start()
        loops: list[Callable[[], Coroutine[Any, Any, None]]] = [dispatcher.run, sweeper.run, self.keys.keep]
        if settings.metrics_addr:
            loops.append(partial(self._show_figures, database))
        self._loops = [asyncio.create_task(_kept(run)) for run in loops]

    def _serve_metrics(self) -> None:
        if self._settings.metrics_addr:
            address = parse_tcp_address(self._settings.metrics_addr)
            self.metrics.serve(address.host, address.port)

    async def _show_figures(self, database: Database) -> None:
        while True:
            with suppress(StoreUnavailable):  # its own failures are counted
                backlog = await database.run(outbox.backlog)
                self.metrics.show_outbox(backlog.tasks, backlog.lag_ms / 1000)
            await asyncio.sleep(_FIGURES_SECONDS)


async def _kept(run: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Goes on after a fault of ours: without its loops a coordinator would give out no work, and not say so."""
    while True:
        try:
            await run()
        except Exception:
            log.exception("%s failed, and goes on", getattr(run, "__qualname__", run))
        await asyncio.sleep(_AGAIN_SECONDS)


def _protection(settings: Settings) -> Protection:
    return Protection(
        tls=settings.tls_cert is not None,
        client_certificates=settings.tls_client_ca is not None,
        token=settings.auth_token is not None or settings.auth_tokens_file is not None,
    )


def _redis(settings: Settings) -> RedisStreams:
    try:
        return RedisStreams(Link(settings.redis_link))
    except ValueError as error:
        raise StartError(str(error)) from None

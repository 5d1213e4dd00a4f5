"""The bridge's life: what is started, in which order, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Final

from operating.access.address import parse_tcp_address
from operating.access.caller import Caller, CallerFiles
from operating.redis.link import Link
from worker_bridge.alarms import Alarms
from worker_bridge.audit import Audit
from worker_bridge.coordinator_client import CoordinatorClient
from worker_bridge.errors import StartError, StreamRefused, Unreachable
from worker_bridge.executors.added import with_added
from worker_bridge.executors.egress.exceptions import policy_with
from worker_bridge.executors.egress.policy import HostClass
from worker_bridge.executors.egress.refusal import Reason
from worker_bridge.executors.http.executor import HttpExecutor
from worker_bridge.executors.language import LanguageExecutor
from worker_bridge.executors.port import Executor
from worker_bridge.executors.registry import Executors
from worker_bridge.executors.trouble import TROUBLES
from worker_bridge.metrics import Metrics
from worker_bridge.settings import Settings
from worker_bridge.shell.ending import end
from worker_bridge.shell.hand import Hand
from worker_bridge.shell.links import Links
from worker_bridge.shell.reader import Reader
from worker_bridge.shell.reclaimer import Reclaimer
from worker_bridge.shell.registration import EXPIRY_SECONDS, Registration
from worker_bridge.shell.worker import Worker
from worker_bridge.spans import Spans
from worker_bridge.streams.port import StreamPort
from worker_bridge.streams.redis import RedisConsumer

if TYPE_CHECKING:
    from operating.tracing.tracer import Tracing

log = logging.getLogger(__name__)

_FIGURES_SECONDS: Final = 5.0
_STRAYS_SECONDS: Final = 5.0


class Bridge:
    """One bridge, in the running event loop. `streams` is a port of the consumer WORKER_ID; by default REDIS_ADDR's.

    `tracing` is where spans go; who gave it closes it.
    """

    def __init__(
        self,
        settings: Settings,
        streams: StreamPort | None = None,
        executors: dict[str, Executor] | None = None,
        registration_expiry: float = EXPIRY_SECONDS,
        tracing: Tracing | None = None,
    ) -> None:
        self.worker_id = settings.worker_id
        self._settings = settings
        self._timings = settings.timings
        self._metrics = Metrics()
        self._alarms = Alarms(self._metrics.alarm)
        self._audit = Audit()
        self._spans = Spans(tracing, settings.worker_id)
        self._executors = Executors(self._own_executors() if executors is None else executors)
        self._queue_of = settings.streams(self._executors.node_types)
        self.reads = tuple(self._queue_of)
        self._streams = streams or self._redis_streams()
        self._coordinator = CoordinatorClient(
            settings.coordinator_addr,
            settings.worker_id,
            self._timings,
            _caller(settings.coordinator_access),
            self._alarms.of(CoordinatorClient.__module__),
            self._spans,
        )
        self._metrics.shows_link("coordinator", lambda: self._coordinator.state.answers)
        of_streams = self._alarms.of(RedisConsumer.__module__)
        self._links = Links(self._coordinator, self._streams, self._timings, self._spans, of_streams)
        self._hand = Hand(settings.worker_concurrency)
        self._metrics.shows_slots(settings.worker_concurrency, lambda: self._hand.in_hand)
        for stream in self.reads:
            self._metrics.reads(stream)
        self._registration = Registration(self._streams, settings.worker_id, of_streams, registration_expiry)
        self._worker = Worker(
            self._links, self._executors, self._hand, self._metrics, settings.worker_max_deliveries, audit=self._audit
        )
        self._stop = asyncio.Event()

    async def run(self, begun: Callable[[], None] = lambda: None) -> None:
        """Until `stop`, then drains; `begun` is called when it starts to read. Raises StartError."""
        stop = asyncio.create_task(self._stop.wait())
        try:
            self._serve_metrics()
            await self._executors.start()
            taken = asyncio.create_task(self._registration.take())
            try:
                await asyncio.wait((taken, stop), return_when=asyncio.FIRST_COMPLETED)
            finally:
                await end((taken,))
            if not taken.cancelled():
                taken.result()
                begun()
                await self._read_until(stop)
                await self._registration.leave()
        finally:
            stop.cancel()
            await self._close()

    def stop(self) -> None:
        """Reads nothing more and lets run what runs; asked again, it ends that too."""
        if self._stop.is_set():
            self._worker.cut_off()
        self._stop.set()

    async def _read_until(self, stop: asyncio.Task[bool]) -> None:
        keep = asyncio.create_task(self._registration.keep())
        reading = [asyncio.create_task(loop) for loop in self._loops()]
        try:
            await asyncio.wait((keep, stop, *reading), return_when=asyncio.FIRST_COMPLETED)
            name_lost = keep.done()
        finally:
            await end(reading)
            strays = asyncio.create_task(self._give_back_strays(self._worker.held()))
            await self._worker.drain(self._timings.drain)
            await strays
            await end((keep,))
        for loop in reading:
            if not loop.cancelled():  # a fault of ours: the process ends, and its supervisor starts another
                loop.result()
        if name_lost:
            raise StartError(f"another worker runs as WORKER_ID {self.worker_id}: this one has stopped")

    def _loops(self) -> list[Coroutine[None, None, None]]:
        loops: list[Coroutine[None, None, None]] = []
        for stream, queue in self._queue_of.items():
            usable = partial(self._usable, queue)
            loops += [
                Reader(stream, self._links, self._hand, self._worker.begin, usable, alarm=self._links.alarm).run(),
                Reclaimer(stream, self._links, self._hand, self._worker.begin, usable, alarm=self._links.alarm).run(),
            ]
        return [*loops, self._show_figures()] if self._settings.worker_metrics_addr else loops

    async def _usable(self, queue: str) -> None:
        await self._executors.usable(queue)
        await self._coordinator.usable()

    async def _give_back_strays(self, held: frozenset[tuple[str, str]]) -> None:
        """What was delivered to this consumer and is in no hand: a read was given up in the middle."""
        try:
            async with asyncio.timeout(_STRAYS_SECONDS):
                for stream in self.reads:
                    await self._give_back_strays_of(stream, held)
        except (Unreachable, TimeoutError) as error:
            log.info("entries that were not started come back when they are idle for long: %s", error)

    async def _give_back_strays_of(self, stream: str, held: frozenset[tuple[str, str]]) -> None:
        try:
            for entry in await self._streams.mine(stream):
                if (stream, entry.id) not in held:
                    await self._streams.give_back(entry, self._timings.ttl)
        except StreamRefused as error:
            log.info("nothing of %s is given back: %s", stream, error)

    async def _show_figures(self) -> None:
        while True:
            for stream in self.reads:
                try:
                    self._metrics.show(await self._streams.figures(stream))
                except Unreachable as error:
                    log.debug("no figures: %s", error)
            await asyncio.sleep(_FIGURES_SECONDS)

    def _serve_metrics(self) -> None:
        address = self._settings.worker_metrics_addr
        if address:
            at = parse_tcp_address(address)
            self._metrics.serve(at.host, at.port)

    def _redis_streams(self) -> RedisConsumer:
        streams = redis_streams(self._settings, self._alarms.of(RedisConsumer.__module__))
        state = streams.state
        assert state is not None
        self._metrics.shows_link("redis", lambda: state.answers)
        return streams

    def _own_executors(self) -> dict[str, Executor]:
        settings = self._settings
        policy = policy_with(settings.http_allow_networks, settings.http_allow_hosts)
        built_in: dict[str, Executor] = {
            "http": HttpExecutor(policy, self._metrics, refused=self._audit.egress_refused)
        }
        self._metrics.sends_requests(HostClass, Reason)
        caller = _caller(settings.language_access)
        for runtime, addresses in settings.lang_worker_addrs.items():
            built_in[runtime] = executor = LanguageExecutor(
                runtime,
                addresses,
                self._alarms.of(LanguageExecutor.__module__),
                caller,
                self._spans,
                failed=self._metrics.execution_failed,
            )
            self._metrics.shows_servers(runtime, len(addresses), executor.well, TROUBLES)
        return with_added(built_in, settings.worker_executors)

    async def _close(self) -> None:
        await self._executors.close()
        await self._coordinator.close()
        await self._streams.close()
        await self._metrics.close()
        self._audit.close()


def _caller(files: CallerFiles) -> Caller:
    try:
        return Caller(files, time.monotonic)
    except ValueError as error:
        raise StartError(str(error)) from None


def redis_streams(settings: Settings, alarm: Callable[[str], None] | None = None) -> RedisConsumer:
    """The port on REDIS_ADDR; `alarm`: see RedisConsumer. Raises StartError."""
    try:
        link = Link(settings.redis_link)
    except ValueError as error:
        raise StartError(str(error)) from None
    return RedisConsumer(link, settings.worker_id, settings.stream_prefix, alarm)

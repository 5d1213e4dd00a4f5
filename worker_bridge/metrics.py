"""Figures for Prometheus, in a registry of the bridge's own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

from operating.telemetry.endpoint import Endpoint
from worker_bridge.core.delivery import Denial, Fate
from worker_bridge.core.outcome import Outcome
from worker_bridge.errors import StartError
from worker_bridge.streams.port import Figures

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 90.0)
_GRANTED, _REFUSED = "granted", "refused"
# All words that labels have beside streams, runtimes and what `core` and `executors` name, by metric.
_ANSWERS = (_GRANTED, _REFUSED, *(denial.name.lower() for denial in Denial))
_RENEWALS = ("renewed", "no_answer", "lost")
_LOSSES = ("told", "expired")
_REPORTS = ("acknowledged", "not_acknowledged", _REFUSED)
_CALLS = ("acquire", "renew", "report")

log = logging.getLogger(__name__)


class Metrics:
    """Labels hold nothing that a task or an entry says."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._gauge("build_info", "Which version this is", "version").labels(version("langserver")).set(1)
        self._read = self._counter("entries_read", "Entries that were taken from streams", "stream", "delivery")
        self._leases = self._counter("leases", "Answers to requests for a lease", "answer")
        self._renewals = self._counter("renewals", "What became of renewals of leases", "result")
        self._lost = self._counter("leases_lost", "Leases that ended before their task was reported", "reason")
        self._reports = self._counter("reports", "What became of reports", "result")
        self._retries = self._counter("retries", "Calls to the coordinator that were made again", "call")
        for counter, words in (
            (self._leases, _ANSWERS),
            (self._renewals, _RENEWALS),
            (self._lost, _LOSSES),
            (self._reports, _REPORTS),
            (self._retries, _CALLS),
        ):
            for word in words:  # at 0 from the start: a first one is an increase then
                counter.labels(word)
        self._execution_seconds = self._histogram("execution_seconds", "Executions, by stream", "stream")
        self._troubles = self._counter(
            "language_server_failures", "Executions that were tried again elsewhere or later", "runtime", "trouble"
        )
        self._servers = self._gauge("language_servers", "Addresses of language servers", "runtime", "state")
        self._entries = self._counter("entries", "Entries by what became of them", "stream", "fate")
        self._outcomes = self._counter("outcomes", "Acknowledged reports", "stream", "status")
        self._alarms = self._counter("alarms", "Calls that failed until an operator mends something")
        self._links = self._gauge("link_answers", "1 while the other side of a link answers", "link")
        self._in_hand = self._gauge("in_hand", "Slots in use")
        self._slots = self._gauge("slots", "Entries that may be in hand at once (WORKER_CONCURRENCY)")
        self._depth = self._gauge("stream_depth", "Entries in the stream", "stream")
        self._lag = self._gauge("stream_lag", "Entries that nobody got yet", "stream")
        self._pending = self._gauge("stream_pending", "Entries that a worker got and did not ack", "stream")
        self._dead = self._gauge("stream_dead", "Entries in the dead stream", "stream")
        self._listeners = self._gauge("stream_listeners", "Registered workers that read the stream", "stream")
        self._http_seconds = self._histogram(
            "http_seconds", "From a request to its whole answer, by class of host and of status", "host", "status"
        )
        self._http_refused = self._counter("http_refused", "What the egress policy forbade", "reason")
        self._endpoint = Endpoint(self._registry)

    def serve(self, host: str, port: int) -> None:
        """Answers over HTTP from now on. Raises StartError."""
        try:
            port = self._endpoint.listen(host, port)
        except OSError as error:
            raise StartError(f"WORKER_METRICS_ADDR: can't listen on {host}:{port}: {error.strerror or error}") from None
        log.info("metrics on http://%s:%d/metrics", host, port)

    async def close(self) -> None:
        """Answers no more."""
        await self._endpoint.close()

    def shows_slots(self, slots: int, in_hand: Callable[[], int]) -> None:
        """Asks `in_hand` at each look."""
        self._slots.set(slots)
        self._in_hand.set_function(in_hand)

    def shows_servers(self, runtime: str, addresses: int, well: Callable[[], int], troubles: Iterable[str]) -> None:
        """Asks `well` at each look. `troubles` is what there may be with them."""
        for trouble in troubles:
            self._troubles.labels(runtime, trouble)
        self._servers.labels(runtime, "well").set_function(well)
        self._servers.labels(runtime, "away").set_function(lambda: addresses - well())

    def sends_requests(self, hosts: Iterable[str], refusals: Iterable[str]) -> None:
        """There are http tasks: to hosts of these classes, refused for these reasons."""
        for host in hosts:
            self._http_seconds.labels(host, "2xx")
        for reason in refusals:
            self._http_refused.labels(reason)

    def reads(self, stream: str) -> None:
        """A stream that will be read."""
        for delivery in ("first", "again"):
            self._read.labels(stream, delivery)
        for fate in Fate:
            self._entries.labels(stream, fate.name.lower())
        for status in ("completed", "failed"):
            self._outcomes.labels(stream, status)
        self._execution_seconds.labels(stream)

    def read(self, stream: str, deliveries: int) -> None:
        """An entry was taken."""
        self._read.labels(stream, "first" if deliveries == 1 else "again").inc()

    def acquired(self) -> None:
        """A lease was granted."""
        self._leases.labels(_GRANTED).inc()

    def denied(self, why: Denial | None) -> None:
        """A lease was not granted; None: the request was refused."""
        self._leases.labels(_REFUSED if why is None else why.name.lower()).inc()

    def renewed(self, result: Literal["renewed", "no_answer", "lost"]) -> None:
        """A renewal was asked for."""
        self._renewals.labels(result).inc()

    def lease_lost(self, told: bool) -> None:
        """By the coordinator's word, or by our own clock."""
        self._lost.labels("told" if told else "expired").inc()

    def report_answered(self, result: Literal["acknowledged", "not_acknowledged", "refused"]) -> None:
        """The coordinator has answered a report."""
        self._reports.labels(result).inc()

    def tried_again(self, call: Literal["acquire", "renew", "report"]) -> None:
        """A call to the coordinator had no answer."""
        self._retries.labels(call).inc()

    def executed(self, stream: str, seconds: float) -> None:
        """An execution ended by itself."""
        self._execution_seconds.labels(stream).observe(seconds)

    def execution_failed(self, runtime: str, trouble: str) -> None:
        """At a language server, which is not the task's fault."""
        self._troubles.labels(runtime, trouble).inc()

    def ended(self, stream: str, fate: Fate) -> None:
        """An entry is out of hand."""
        self._entries.labels(stream, fate.name.lower()).inc()

    def reported(self, stream: str, outcome: Outcome) -> None:
        """A report was acknowledged."""
        self._outcomes.labels(stream, outcome.status).inc()

    def http_answered(self, host: str, status: int, seconds: float) -> None:
        """See executors.http.telemetry."""
        self._http_seconds.labels(host, f"{status // 100}xx").observe(seconds)

    def http_refused(self, reason: str) -> None:
        """See executors.http.telemetry."""
        self._http_refused.labels(reason).inc()

    def alarm(self) -> None:
        """Something that no retry mends."""
        self._alarms.inc()

    def shows_link(self, link: Literal["redis", "coordinator"], answers: Callable[[], bool]) -> None:
        """Asks `answers` at each look."""
        self._links.labels(link).set_function(answers)

    def show(self, figures: Figures) -> None:
        """How a stream is."""
        self._depth.labels(figures.stream).set(figures.depth)
        self._lag.labels(figures.stream).set(figures.lag)
        self._pending.labels(figures.stream).set(figures.pending)
        self._dead.labels(figures.stream).set(figures.dead)
        self._listeners.labels(figures.stream).set(len(figures.listeners))

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"worker_bridge_{name}", text, labels, registry=self._registry)

    def _histogram(self, name: str, text: str, *labels: str) -> Histogram:
        return Histogram(f"worker_bridge_{name}", text, labels, registry=self._registry, buckets=_SECONDS)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"worker_bridge_{name}", text, labels, registry=self._registry)

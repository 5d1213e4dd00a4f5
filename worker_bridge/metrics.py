"""Figures for Prometheus, in a registry of the bridge's own."""

from __future__ import annotations

import logging
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from worker_bridge.core.delivery import Fate
from worker_bridge.core.outcome import Outcome
from worker_bridge.errors import StartError
from worker_bridge.streams.port import Figures

_HTTP_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 90.0)

log = logging.getLogger(__name__)


class Metrics:
    """Labels hold nothing that a task or an entry says."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._entries = self._counter("entries", "Entries by what became of them", "stream", "fate")
        self._outcomes = self._counter("outcomes", "Acknowledged reports", "stream", "status")
        self._alarms = self._counter("alarms", "Calls that failed until an operator mends something")
        self._in_hand = self._gauge("in_hand", "Slots in use")
        self._depth = self._gauge("stream_depth", "Entries in the stream", "stream")
        self._lag = self._gauge("stream_lag", "Entries that nobody got yet", "stream")
        self._pending = self._gauge("stream_pending", "Entries that a worker got and did not ack", "stream")
        self._dead = self._gauge("stream_dead", "Entries in the dead stream", "stream")
        self._listeners = self._gauge("stream_listeners", "Registered workers that read the stream", "stream")
        self._http_seconds = Histogram(
            "worker_bridge_http_seconds",
            "From a request to its whole answer, by class of host and of status",
            ("host", "status"),
            registry=self._registry,
            buckets=_HTTP_BUCKETS,
        )
        self._http_refused = self._counter("http_refused", "What the egress policy forbade", "reason")
        self._stop: Callable[[], None] = lambda: None

    def serve(self, host: str, port: int, in_hand: Callable[[], int]) -> None:
        """Answers over HTTP from now on. Raises StartError."""
        self._in_hand.set_function(in_hand)
        try:
            server, thread = start_http_server(port, host, self._registry)
        except OSError as error:
            raise StartError(f"WORKER_METRICS_ADDR: can't listen on {host}:{port}: {error.strerror}") from None

        def stop() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        self._stop = stop
        log.info("metrics on http://%s:%s/metrics", host, server.server_port)

    def close(self) -> None:
        """Answers no more."""
        self._stop()

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

    def alarm(self, text: str) -> None:
        """Something that no retry mends."""
        self._alarms.inc()
        log.error("%s: this has to be mended by an operator; it is tried again", text)

    def show(self, figures: Figures) -> None:
        """How a stream is."""
        self._depth.labels(figures.stream).set(figures.depth)
        self._lag.labels(figures.stream).set(figures.lag)
        self._pending.labels(figures.stream).set(figures.pending)
        self._dead.labels(figures.stream).set(figures.dead)
        self._listeners.labels(figures.stream).set(len(figures.listeners))

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"worker_bridge_{name}", text, labels, registry=self._registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"worker_bridge_{name}", text, labels, registry=self._registry)

"""Figures for Prometheus, in a registry of the coordinator's own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Final, Literal, TypeAlias

from prometheus_client import CollectorRegistry, Counter, Gauge, ProcessCollector

from coordinator.core.report import Ruling
from coordinator.core.states import LeaseReason, TaskState
from coordinator.errors import StartError
from operating.access.handshakes import REASONS
from operating.telemetry.endpoint import Endpoint

log = logging.getLogger(__name__)

Cause: TypeAlias = Literal[
    "submitted",
    "dispatched",
    "leased",
    "reported",
    "retried",
    "lease_abandoned",
    "lost_too_often",
    "entry_lost",
    "cancelled",
    "requeued",
]
# How a task can come into a state. All series are there from the start, at 0: a first one is an increase then.
_WAYS: Final[Mapping[TaskState, tuple[Cause, ...]]] = {
    TaskState.PENDING: ("submitted", "retried", "lease_abandoned", "entry_lost", "requeued"),
    TaskState.QUEUED: ("dispatched",),
    TaskState.RUNNING: ("leased",),
    TaskState.COMPLETED: ("reported",),
    TaskState.FAILED: ("reported", "lost_too_often", "cancelled"),
}
_ANSWERS: Final = ("acquired", *(reason.name.lower() for reason in LeaseReason))
_PARTS: Final = ("dispatcher", "sweeper")


class Metrics:
    """What this coordinator did since it started; gauges are of the database, whichever coordinator is asked.

    Labels hold nothing that a task or a caller says.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._gauge("build_info", "Which version this is", "version").labels(version("langserver")).set(1)
        moves = self._counter("transitions", "Tasks that came into a state, by why", "state", "cause")
        self._moves = {
            (state, cause): moves.labels(state.name.lower(), cause) for state, ways in _WAYS.items() for cause in ways
        }
        leases = self._counter("leases", "Answers to requests for a lease", "answer")
        renewals = self._counter("renewals", "Answers to renewals of a lease", "answer")
        self._leases = {answer: leases.labels(answer) for answer in _ANSWERS}
        self._renewals = {answer: renewals.labels(answer) for answer in _ANSWERS}
        reports = self._counter("reports", "Reports, by what they did to their task", "ruling")
        self._reports = {ruling: reports.labels(ruling.name.lower()) for ruling in Ruling}
        self._sweeps = self._counter("sweeps", "Looks for what got lost that came to their end")
        failures = self._counter("failures", "Rounds that were put off: database or streams were away", "part")
        self._failures = {part: failures.labels(part) for part in _PARTS}
        self._refused_streams = self._counter("refused_streams", "Entries that Redis took into no stream")
        letters = self._counter("dead_letters", "Dead letters that an operator asked to requeue or to drop", "result")
        self._letters = {result: letters.labels(result) for result in ("requeued", "left", "dropped")}
        self._strangers = self._counter("refused_calls", "Calls without a valid token")
        handshakes = self._counter("failed_handshakes", "Clients that could not connect over TLS", "reason")
        self._handshakes = {reason: handshakes.labels(reason.replace(" ", "_")) for reason in REASONS}
        self._outbox = self._gauge("outbox_tasks", "Tasks in the outbox: to be put into their streams, now or later")
        self._outbox_lag = self._gauge("outbox_lag_seconds", "How long the oldest of those that are due waits")
        self._certificate = self._gauge(
            "certificate_expires_timestamp_seconds", "When its certificate expires (seconds since 1970); +Inf without"
        )
        self._endpoint = Endpoint(self._registry)

    def serve(self, host: str, port: int) -> None:
        """Answers over HTTP from now on. Raises StartError."""
        try:
            port = self._endpoint.listen(host, port)
        except OSError as error:
            text = f"COORDINATOR_METRICS_ADDR: can't listen on {host}:{port}: {error.strerror or error}"
            raise StartError(text) from None
        log.info("metrics on http://%s:%d/metrics", host, port)

    async def close(self) -> None:
        """Answers no more."""
        await self._endpoint.close()

    def shows_certificate(self, ends_at: Callable[[], float]) -> None:
        """Asks at each look."""
        self._certificate.set_function(ends_at)

    def moved(self, state: TaskState, cause: Cause, count: int = 1) -> None:
        """So many tasks came into a state."""
        self._moves[state, cause].inc(count)

    def lease_asked(self, refusal: LeaseReason | None) -> None:
        """None: it was given."""
        self._leases[_answer(refusal)].inc()

    def renewal_asked(self, refusal: LeaseReason | None) -> None:
        """None: it was given."""
        self._renewals[_answer(refusal)].inc()

    def reported(self, ruling: Ruling) -> None:
        """A report was acknowledged."""
        self._reports[ruling].inc()

    def swept(self) -> None:
        """A sweep came to its end."""
        self._sweeps.inc()

    def put_off(self, part: Literal["dispatcher", "sweeper"]) -> None:
        """Database or streams are away."""
        self._failures[part].inc()

    def stream_refused(self) -> None:
        """An entry could not be put into a stream."""
        self._refused_streams.inc()

    def requeued(self, requeued: int, left: int) -> None:
        """So many dead letters."""
        self._letters["requeued"].inc(requeued)
        self._letters["left"].inc(left)

    def dropped(self, count: int) -> None:
        """So many dead letters."""
        self._letters["dropped"].inc(count)

    def stranger_refused(self) -> None:
        """A call without a valid token."""
        self._strangers.inc()

    def handshakes_failed(self, reasons: Mapping[str, int]) -> None:
        """So many clients could not connect, by reason."""
        for reason, count in reasons.items():
            self._handshakes[reason].inc(count)

    def show_outbox(self, tasks: int, lag_seconds: float) -> None:
        """How it is."""
        self._outbox.set(tasks)
        self._outbox_lag.set(lag_seconds)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"coordinator_{name}", text, labels, registry=self._registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"coordinator_{name}", text, labels, registry=self._registry)


def _answer(refusal: LeaseReason | None) -> str:
    return _ANSWERS[0] if refusal is None else refusal.name.lower()

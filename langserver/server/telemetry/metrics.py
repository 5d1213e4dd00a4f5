"""Figures of what happened, for Prometheus: a registry of the server's own.

Labels are of closed sets. Nothing that a caller or a task says becomes one: not a name, not an id.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

import langserver
from langserver.core.forms import FormCache
from langserver.server.gate import Gate
from langserver.server.health import Health
from langserver.server.pool import Pool
from langserver.server.statuses import Reason
from langserver.server.telemetry.audit import Event
from langserver.server.telemetry.ended import STATUSES, Ended
from langserver.server.telemetry.memory import GroupMemory
from langserver.server.telemetry.state import State
from langserver.server.zygotes import ZygoteEvent
from langserver.wire.report import EVENT_ACTIONS, EVENT_LAYERS

_SECONDS: Final = (
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0,
)  # fmt: skip
_BYTES: Final = tuple(1 << power for power in range(20, 31))  # one MiB to one GiB
_PHASES: Final = {
    "queue": "What executions waited for a slot",
    "spawn": "What executions with a slot waited for their child: nothing to speak of where a warm one was there",
    "seal": "From having a child to hearing that it is sealed: nothing to speak of for a warm one",
    "compile": "Compiling, by the child's word where it reported; V8 compiles in what counts as running",
    "run": "Running, by the child's word where it reported, else to the end of the child",
}
# What children may claim (wire.report), and what the server sees itself (core.verdict).
_EVENTS: Final = (
    *((layer, action) for layer in EVENT_LAYERS for action in EVENT_ACTIONS),
    *((layer, "killed") for layer in ("seccomp", "cgroup", "watch")),
)


@dataclass(frozen=True, slots=True)
class _Runtime:
    """Where an execution of one runtime is counted: found once, since finding a series costs more than counting."""

    executions: dict[str, Counter]
    validations: dict[str, Counter]
    phases: dict[str, Histogram]
    whole: Histogram
    memory: Histogram
    cpu: Counter
    security: dict[tuple[str, str], Counter]


class Metrics:
    """What is counted when it happens. `registry` is what is shown."""

    def __init__(self, runtimes: Iterable[str], layers: Mapping[str, bool]) -> None:
        """`layers` are all there are, and whether each is active."""
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._gauge("build_info", "Which version this is", "version", "python").labels(
            langserver.__version__, platform.python_version()
        ).set(1)
        active = self._gauge("layer_active", "Whether a layer protects tasks here", "layer")
        for layer, holds in layers.items():
            active.labels(layer).set(holds)
        executions = self._counter("executions", "Executions that ended", "runtime", "status")
        validations = self._counter("validations", "Validations that ended", "runtime", "status")
        phases = {name: self._histogram(f"{name}_seconds", text, _SECONDS) for name, text in _PHASES.items()}
        whole = self._histogram("execution_seconds", "From the call's arrival to the end of the child", _SECONDS)
        memory = self._histogram("peak_memory_bytes", "The most that executions held beyond an idle child", _BYTES)
        cpu = self._counter("cpu_seconds", "CPU time of children that ended", "runtime")
        security = self._counter("security_events", "What a layer refused a task", "runtime", "layer", "action")
        restarts = self._counter("zygote_restarts", "Zygotes that another one replaced", "runtime", "reason")
        failures = self._counter("zygote_start_failures", "Zygotes that could not be started", "runtime")
        seals = self._counter("seal_failures", "Children that could not be sealed", "runtime")
        refusals = self._counter("refusals", "Calls that were turned away before anything was executed", "reason")
        audit = self._counter("audit_events", "Security events that are no execution's", "event")
        # All there can be, at 0 from the start: a first one is an increase then.
        self._refusals = {reason: refusals.labels(reason.value) for reason in Reason}
        self._audit = {event: audit.labels(event.name.lower()) for event in Event}
        self._runtimes: dict[str, _Runtime] = {}
        self._pool_events: dict[tuple[str, ZygoteEvent], Counter] = {}
        for name in runtimes:
            self._runtimes[name] = _Runtime(
                executions={status: executions.labels(name, status) for status in STATUSES},
                validations={status: validations.labels(name, status) for status in STATUSES},
                phases={phase: histogram.labels(name) for phase, histogram in phases.items()},
                whole=whole.labels(name),
                memory=memory.labels(name),
                cpu=cpu.labels(name),
                security={(layer, action): security.labels(name, layer, action) for layer, action in _EVENTS},
            )
            self._pool_events |= {
                (name, ZygoteEvent.TASKS): restarts.labels(name, "tasks"),
                (name, ZygoteEvent.AGE): restarts.labels(name, "age"),
                (name, ZygoteEvent.LOST): restarts.labels(name, "lost"),
                (name, ZygoteEvent.START_FAILED): failures.labels(name),
                (name, ZygoteEvent.SEAL_FAILED): seals.labels(name),
            }

    def show(
        self, gate: Gate, pools: Mapping[str, Pool], health: Health, forms: FormCache | None, task_memory_bytes: int
    ) -> None:
        """How things stand there, from now on."""
        self.registry.register(State(gate, pools, health, forms, GroupMemory(), task_memory_bytes))

    def shows_certificate(self, ends_at: Callable[[], float]) -> None:
        """Asks at each look."""
        self._gauge(
            "certificate_expires_timestamp_seconds",
            "When the server's certificate expires (seconds since 1970); +Inf without",
        ).set_function(ends_at)

    def ended(self, ended: Ended) -> None:
        """An execution or a validation."""
        of, outcome = self._runtimes[ended.runtime], ended.outcome
        for claim in outcome.events:
            of.security[claim.layer, claim.action].inc()
        of.cpu.inc(outcome.usage.cpu_seconds)
        if ended.mode == "validate":
            of.validations[ended.status].inc()
            return
        of.executions[ended.status].inc()
        of.whole.observe(ended.seconds)
        for phase, seconds in ended.phases().items():
            of.phases[phase].observe(seconds)
        if outcome.moments.spawned is not None:
            of.memory.observe(outcome.usage.peak_memory_bytes)

    def refused(self, reason: Reason) -> None:
        """A call."""
        self._refusals[reason].inc()

    def audited(self, event: Event, count: int) -> None:
        """Events that are no execution's."""
        self._audit[event].inc(count)

    def pool(self, runtime: str, event: ZygoteEvent) -> None:
        """Something happened to a pool's zygote or child."""
        self._pool_events[runtime, event].inc()

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"langserver_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"langserver_{name}", text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(f"langserver_{name}", text, ("runtime",), registry=self.registry, buckets=buckets)

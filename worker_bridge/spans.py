"""The spans of a bridge: one for each entry in hand, below it what is done with it, below that the calls to others.

A task carries its place: what has a span of its own is done with a task whose `traceparent` is that span's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import grpc

from worker_bridge.core.delivery import Fate
from worker_bridge.core.envelope import Poison, Task
from worker_bridge.core.outcome import Outcome
from worker_bridge.streams.port import Entry

if TYPE_CHECKING:
    from operating.tracing.tracer import Span, Tracing

_GROUP: Final = "workers"
_KIND: Final = re.compile(r"[A-Z][A-Z_]{0,39}")
_BAD: Final = frozenset({Fate.PARK, Fate.LEAVE})


class Traced:
    """What is done now, with its span if there is one."""

    def __init__(self, span: Span | None = None) -> None:
        self._span = span

    def ended_as(self, outcome: Outcome) -> None:
        """How the execution ended; of its error only the kind: the rest is the program's words."""
        if self._span is not None:
            self._span.tell({"langserver.status": outcome.status})
            if not outcome.completed:
                kind = outcome.error.partition(":")[0]
                self._span.fail(kind if _KIND.fullmatch(kind) else outcome.status)

    def went(self, fate: Fate) -> None:
        """What becomes of the entry."""
        if self._span is not None:
            self._span.tell({"langserver.fate": fate.value})
            if fate in _BAD:
                self._span.fail(fate.value)


_UNTRACED: Final = Traced()


class Spans:
    """`tracing` is None: none are made, and tasks keep the place that their entries name."""

    def __init__(self, tracing: Tracing | None, worker_id: str) -> None:
        self._tracing = tracing
        self._worker_id = worker_id

    @contextmanager
    def entry(self, entry: Entry, parsed: Task | Poison) -> Iterator[tuple[Traced, Task | Poison]]:
        """An entry, from its delivery until it is out of hand."""
        if self._tracing is None:
            yield _UNTRACED, parsed
            return
        told: dict[str, str | int] = {
            "messaging.system": "redis",
            "messaging.operation.name": "process",
            "messaging.operation.type": "process",
            "messaging.destination.name": entry.stream,
            "messaging.consumer.group.name": _GROUP,
            "messaging.client.id": self._worker_id,
            "messaging.message.id": entry.id,
            "langserver.deliveries": entry.deliveries,
        }
        parent = ""
        if isinstance(parsed, Task):
            parent = parsed.traceparent
            told |= {
                "langserver.task_id": parsed.task_id,
                "langserver.run_id": parsed.run_id,
                "langserver.node_id": parsed.node_id,
                "langserver.node_type": parsed.node_type,
                "langserver.attempt": parsed.attempt,
            }
        span = self._tracing.begin(f"process {entry.stream}", parent, "consumer", told)
        try:
            yield Traced(span), _below(parsed, span)
        finally:
            span.end()

    @contextmanager
    def step(self, name: str, task: Task) -> Iterator[tuple[Traced, Task]]:
        """A part of what is done with an entry."""
        if self._tracing is None:
            yield _UNTRACED, task
            return
        span = self._tracing.begin(name, task.traceparent)
        try:
            yield Traced(span), replace(task, traceparent=span.traceparent)
        finally:
            span.end()

    @contextmanager
    def call(self, method: str, address: str, traceparent: str) -> Iterator[tuple[tuple[str, str], ...]]:
        """A call to another program; gives what says so in the call's metadata."""
        if self._tracing is None:
            yield (("traceparent", traceparent),) if traceparent else ()
            return
        told = {"rpc.system.name": "grpc", "rpc.method": method, **_server(address)}
        span = self._tracing.begin(method, traceparent, "client", told)
        status = grpc.StatusCode.CANCELLED  # if nothing else comes of it
        try:
            yield (("traceparent", span.traceparent),)
            status = grpc.StatusCode.OK
        except grpc.aio.AioRpcError as error:
            status = error.code()
            raise
        finally:
            span.tell({"rpc.response.status_code": status.name})
            if status is not grpc.StatusCode.OK:
                span.fail(status.name)
            span.end()


def _below(parsed: Task | Poison, span: Span) -> Task | Poison:
    return replace(parsed, traceparent=span.traceparent) if isinstance(parsed, Task) else parsed


def _server(address: str) -> dict[str, str | int]:
    if address.startswith("unix:"):
        return {"server.address": address.removeprefix("unix:")}
    host, _, port = address.rpartition(":")
    return {"server.address": host.strip("[]"), "server.port": int(port)}

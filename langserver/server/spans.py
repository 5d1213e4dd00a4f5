"""The spans of an execution, made when it is over, of what the server itself has measured."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

import grpc

from langserver.core.moments import Phase, phases
from langserver.core.outcome import ErrorKind
from langserver.errors import RequestError
from langserver.pb import lang_pb2
from langserver.server.call import Call
from langserver.server.tasks import Finished
from langserver.zygote.request import canonical_runtime
from operating.tracing.blame import SERVERS_FAULTS

if TYPE_CHECKING:
    from operating.tracing.tracer import Tracing

_SERVICE: Final = lang_pb2.DESCRIPTOR.services_by_name["LanguageServer"].full_name
# What a caller may say of his task beside its label (ExecuteRequest.metadata).
_OF_THE_CALLERS_TASK: Final = ("run_id", "node_id", "attempt")


class Spans:
    """Begins a span for each call that executes a task."""

    def __init__(self, tracing: Tracing) -> None:
        self._tracing = tracing

    def begin(self, method: str, request: lang_pb2.ExecuteRequest, call: Call) -> ExecuteSpan:
        """Nothing of the code, its input or its output is looked at."""
        told: dict[str, str | int] = {
            "rpc.system.name": "grpc",
            "rpc.method": f"{_SERVICE}/{method}",
            "langserver.task_id": request.task_id,
            "langserver.runtime": _runtime(request.runtime),
        }
        for name in _OF_THE_CALLERS_TASK:
            told[f"langserver.{name}"] = request.metadata.get(name, "")
        return ExecuteSpan(self._tracing, call.traceparent(), told)


class ExecuteSpan:
    """One call. `finished` is set when its execution has."""

    def __init__(self, tracing: Tracing, parent: str, told: dict[str, str | int]) -> None:
        self._tracing = tracing
        self._parent = parent
        self._told = told
        self._loop = asyncio.get_running_loop()
        self._came = self._loop.time()
        self.finished: Finished | None = None

    def end(self, status: grpc.StatusCode | None) -> None:
        """The call is over, with this status if it was not answered; its caller need not wait for what it costs."""
        if status is None:
            status = grpc.StatusCode.CANCELLED if self.finished is None else grpc.StatusCode.OK
        self._loop.call_soon(self._make, status, self._loop.time())

    def _make(self, status: grpc.StatusCode, ended: float) -> None:
        # Spans are told in the time of day; within one execution its clock does not jump.
        offset_ns = time.time_ns() - round(self._loop.time() * 1e9)
        told = {**self._told, "rpc.response.status_code": status.name, "langserver.status": self._status(status)}
        span = self._tracing.begin(
            str(told["rpc.method"]), self._parent, "server", told, offset_ns + round(self._came * 1e9)
        )
        if span.is_recorded:
            self._tracing.parts(
                span,
                (
                    (phase.name, offset_ns + round(phase.begin * 1e9), offset_ns + round(phase.end * 1e9))
                    for phase in self._phases(ended)
                ),
            )
            if (kind := self._error(status)) is not None:
                span.fail(kind)
        span.end(offset_ns + round(ended * 1e9))

    def _phases(self, ended: float) -> list[Phase]:
        if self.finished is None:
            return []
        admitted = self.finished.came + self.finished.queue_seconds
        return phases(self.finished.came, admitted, self.finished.outcome.moments, ended)

    def _status(self, status: grpc.StatusCode) -> str:
        if status is grpc.StatusCode.CANCELLED:
            return "cancelled"
        return "completed" if status is grpc.StatusCode.OK and self._kind() is None else "failed"

    def _kind(self) -> ErrorKind | None:
        failure = self.finished.outcome.verdict.failure if self.finished is not None else None
        return failure.kind if failure is not None else None

    def _error(self, status: grpc.StatusCode) -> str | None:
        if status in SERVERS_FAULTS:
            return status.name
        kind = self._kind()
        return None if kind is None else kind.name


def _runtime(name: str) -> str:
    """Empty for one that is not known."""
    try:
        return canonical_runtime(name)
    except RequestError:
        return ""

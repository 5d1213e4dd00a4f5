"""A coordinator for tests: a table in memory, the plain rules and the later ones, and whatever trouble is asked for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc

from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc
from worker_bridge.core.digest import task_digest
from worker_bridge.core.envelope import Task


@dataclass
class Row:
    """One task of the table."""

    task: Task
    state: str = "QUEUED"
    attempt: int = 1
    owner: str = ""
    fence: int = 0
    expires: float = 0.0
    accepted: list[pb.ReportTaskResultRequest] = field(default_factory=list)


Trouble = Callable[[grpc.aio.ServicerContext], Awaitable[None]]


class TableCoordinator(coordinator_pb2_grpc.WorkflowServiceServicer):
    """`trouble` runs before each call, `report_trouble` before reports; `plain` knows nothing but the first fields."""

    def __init__(self, *, plain: bool = False) -> None:
        self.rows: dict[str, Row] = {}
        self.plain = plain
        self.trouble: Trouble | None = None
        self.acquires: list[pb.AcquireTaskLeaseRequest] = []
        self.renewals: list[tuple[float, pb.AcquireTaskLeaseRequest]] = []
        self.reports: list[pb.ReportTaskResultRequest] = []
        self.acknowledge = True
        self.renew = True
        self.report_trouble: Trouble | None = None
        self.port = 0
        self._server: grpc.aio.Server | None = None

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        """On the port it had before, or a free one."""
        self._server = grpc.aio.server(
            options=[("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", 32 << 20)]
        )
        coordinator_pb2_grpc.add_WorkflowServiceServicer_to_server(self, self._server)
        self.port = self._server.add_insecure_port(f"127.0.0.1:{self.port}")
        await self._server.start()

    async def stop(self) -> None:
        """At once: calls in flight get no answer."""
        if self._server is not None:
            await self._server.stop(None)
            self._server = None

    def add(self, task: Task) -> Row:
        """A task that waits."""
        return self.rows.setdefault(task.task_id, Row(task, attempt=task.attempt))

    def state(self, task_id: str) -> str:
        """How it is."""
        return self.rows[task_id].state

    async def AcquireTaskLease(self, request: Any, context: Any) -> pb.AcquireTaskLeaseResponse:  # noqa: N802 - the contract's name
        self.acquires.append(request)
        await self._trouble(context)
        row = self.rows.get(request.task_id)
        refusal = self._refusal(row, request)
        if row is None or refusal is not None:
            known = {} if self.plain else {"reason": refusal}
            return pb.AcquireTaskLeaseResponse(acquired=False, **known)
        row.state, row.owner, row.expires = "RUNNING", request.owner, time.monotonic() + request.ttl_seconds
        row.fence += 1
        known = {} if self.plain else {"fence": row.fence, "attempt": row.attempt}
        return pb.AcquireTaskLeaseResponse(acquired=True, **known)

    def _refusal(self, row: Row | None, request: Any) -> int | None:
        if row is None:
            return pb.LEASE_REASON_UNKNOWN_TASK
        if row.state in ("COMPLETED", "FAILED"):
            return pb.LEASE_REASON_DONE
        if not self.plain:
            if request.attempt and request.attempt != row.attempt:
                return pb.LEASE_REASON_SUPERSEDED
            if request.task_digest and request.task_digest != task_digest(row.task):
                return pb.LEASE_REASON_MISMATCH
        if row.state == "RUNNING" and row.expires > time.monotonic():
            return pb.LEASE_REASON_HELD
        return None

    async def RenewTaskLease(self, request: Any, context: Any) -> pb.AcquireTaskLeaseResponse:  # noqa: N802 - the contract's name
        self.renewals.append((time.monotonic(), request))
        await self._trouble(context)
        row = self.rows.get(request.task_id)
        if not self.renew or row is None or row.state != "RUNNING" or row.owner != request.owner:
            return pb.AcquireTaskLeaseResponse(acquired=False)
        if request.fence and request.fence != row.fence:
            return pb.AcquireTaskLeaseResponse(acquired=False)
        row.expires = time.monotonic() + request.ttl_seconds
        return pb.AcquireTaskLeaseResponse(acquired=True)

    async def ReportTaskResult(self, request: Any, context: Any) -> pb.ReportTaskResultResponse:  # noqa: N802 - the contract's name
        self.reports.append(request)
        await self._trouble(context)
        if self.report_trouble is not None:
            await self.report_trouble(context)
        if not self.acknowledge:
            return pb.ReportTaskResultResponse(acknowledged=False)
        row = self.rows.get(request.task_id)
        counts = (
            row is not None
            and row.state == "RUNNING"
            and row.attempt == request.attempt
            and row.owner == request.owner
            and (self.plain or row.fence == request.fence)
        )
        if counts:
            assert row is not None
            row.accepted.append(request)
            row.state = "COMPLETED" if request.status == "completed" else "FAILED"
        return pb.ReportTaskResultResponse(acknowledged=True, accepted=counts)

    async def _trouble(self, context: Any) -> None:
        if self.trouble is not None:
            await self.trouble(context)


async def unavailable(context: grpc.aio.ServicerContext) -> None:
    """As one whose database is away."""
    await context.abort(grpc.StatusCode.UNAVAILABLE, "no database")


async def failing(context: grpc.aio.ServicerContext) -> None:
    """As one with a fault of its own."""
    await context.abort(grpc.StatusCode.INTERNAL, "the coordinator failed")


async def silent(context: grpc.aio.ServicerContext) -> None:
    """As one that is frozen."""
    await asyncio.sleep(3600)

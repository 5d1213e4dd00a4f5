"""Calls to the coordinator. One call, one try: what comes after is for the worker to decide."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Final

import grpc

from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc
from operating.access.caller import Caller
from worker_bridge.channels import is_fault, open_channel, words
from worker_bridge.core.backoff import LONGEST_SECONDS
from worker_bridge.core.delivery import Denial
from worker_bridge.core.digest import task_digest
from worker_bridge.core.envelope import Task
from worker_bridge.core.lease import Lease
from worker_bridge.core.outcome import Outcome
from worker_bridge.core.timings import Timings
from worker_bridge.errors import CallRefused, NoAnswer
from worker_bridge.link_state import LinkState
from worker_bridge.spans import Spans

_DENIALS: Final = {
    pb.LEASE_REASON_UNSPECIFIED: Denial.UNSPECIFIED,
    pb.LEASE_REASON_HELD: Denial.HELD,
    pb.LEASE_REASON_DONE: Denial.DONE,
    pb.LEASE_REASON_SUPERSEDED: Denial.SUPERSEDED,
    pb.LEASE_REASON_UNKNOWN_TASK: Denial.UNKNOWN_TASK,
    pb.LEASE_REASON_MISMATCH: Denial.MISMATCH,
}
_REFUSALS: Final = frozenset({grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.OUT_OF_RANGE})
_SERVICE: Final = pb.DESCRIPTOR.services_by_name["WorkflowService"].full_name
_NO_METHOD: Final = f"/{_SERVICE}/None"
_FAILURES: Final = frozenset({grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DATA_LOSS})
# gRPC's own words, in all its implementations; the status alone may also mean a coordinator that is busy.
_TOO_LARGE: Final = "larger than max"
_QUIET_SECONDS: Final = 2 * LONGEST_SECONDS


class CoordinatorClient:
    """One channel, for the worker `owner`. Every call raises NoAnswer or CallRefused."""

    def __init__(  # noqa: PLR0917
        self, address: str, owner: str, timings: Timings, caller: Caller, alarm: Callable[[str], None], spans: Spans
    ) -> None:
        """`alarm` is told what an operator has to mend. Raises StartError."""
        self.address = address
        self._owner = owner
        self._timings = timings
        self._caller = caller
        self.state = LinkState(f"coordinator at {address}", __name__, alarm)
        self._spans = spans
        self._channel = open_channel(address, caller)
        self._stub = coordinator_pb2_grpc.WorkflowServiceStub(self._channel)
        self._answers = asyncio.Event()
        self._answers.set()
        self._silent_since = 0.0
        self._said = False

    async def acquire(self, task: Task) -> Lease | Denial:
        """Asks for the lease of what an entry says."""
        request = self._lease_request(task, task.attempt)
        request.task_digest = task_digest(task)
        asked_at = time.monotonic()
        answer = await self._call("AcquireTaskLease", request, self._timings.lease_call, task)
        if not answer.acquired:
            return _DENIALS.get(answer.reason, Denial.OTHER)
        # The attempt that counts is the coordinator's; one of the plain rules does not say it.
        return Lease.granted(answer.fence, answer.attempt or task.attempt, asked_at, self._timings)

    async def renew(self, task: Task, lease: Lease) -> Lease | None:
        """The lease, prolonged; None: it is lost."""
        request = self._lease_request(task, lease.attempt)
        request.fence = lease.fence
        asked_at = time.monotonic()
        seconds = min(self._timings.lease_call, max(lease.until - asked_at, 0.01))
        answer = await self._call("RenewTaskLease", request, seconds)
        return lease.renewed(asked_at, self._timings) if answer.acquired else None

    async def report(self, task: Task, lease: Lease, outcome: Outcome) -> bool:
        """Whether the coordinator acknowledged it."""
        request = pb.ReportTaskResultRequest(
            task_id=task.task_id,
            run_id=task.run_id,
            node_id=task.node_id,
            attempt=lease.attempt,
            status=outcome.status,
            output=outcome.output,
            error=outcome.error,
            owner=self._owner,
            terminal=outcome.terminal,
            logs_json=outcome.logs_json,
            fence=lease.fence,
            error_json=outcome.error_json,
        )
        answer = await self._call("ReportTaskResult", request, self._timings.report_call, task)
        return bool(answer.acknowledged)

    async def usable(self) -> None:
        """Returns when it seems to answer. Who takes entries waits for this: without leases they could only be held."""
        while True:
            state = self._channel.get_state(try_to_connect=True)
            if state is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
                await self._say_why()
            if state is not grpc.ChannelConnectivity.READY:
                await self._channel.wait_for_state_change(state)
                continue
            quiet = self._silent_since + _QUIET_SECONDS - time.monotonic()
            if self._answers.is_set() or quiet <= 0:
                self._said = False
                if not self.state.answers:
                    await self._ask()
                return
            try:
                async with asyncio.timeout(quiet):
                    await self._answers.wait()
            except TimeoutError:
                pass

    async def close(self) -> None:
        """Ends the channel."""
        await self._channel.close()

    async def _say_why(self) -> None:
        """Once, until it answers again: only a call is told why there is no connection."""
        if not self._said:
            self._said = True
            await self._ask()

    async def _ask(self) -> None:
        """Whether it answers, by a call that sends nothing, to a method that there is not."""
        probe: Any = self._channel.unary_unary(_NO_METHOD)
        try:
            await probe(b"", timeout=self._timings.lease_call, metadata=self._caller.metadata())
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                self.state.answered()
            else:
                text = f"coordinator at {self.address}: {words(error, self._caller)}"
                self.state.failed(text, fault=is_fault(error, self._caller))

    def _has_answered(self) -> None:
        self._answers.set()
        self.state.answered()

    def _lease_request(self, task: Task, attempt: int) -> pb.AcquireTaskLeaseRequest:
        return pb.AcquireTaskLeaseRequest(
            task_id=task.task_id,
            run_id=task.run_id,
            owner=self._owner,
            ttl_seconds=self._timings.ttl,
            attempt=attempt,
        )

    async def _call(self, method: str, request: Any, seconds: float, task: Task | None = None) -> Any:
        """With a span below that of `task`, if one is given."""
        address = self.address
        span = nullcontext(()) if task is None else self._spans.call(f"{_SERVICE}/{method}", address, task.traceparent)
        try:
            with span as placed:
                call = getattr(self._stub, method)
                answer = await call(request, timeout=seconds, metadata=(*placed, *self._caller.metadata()))
        except grpc.aio.AioRpcError as error:
            refused = error.code() in _REFUSALS or _TOO_LARGE in (error.details() or "")
            if refused:
                self._has_answered()
                raise CallRefused(words(error, self._caller)) from None
            failed, fault = error.code() in _FAILURES, is_fault(error, self._caller)
            text = f"coordinator at {address}: {words(error, self._caller)}"
            if not failed:
                self._answers.clear()
                self._silent_since = time.monotonic()
                self.state.failed(text, fault=fault)
            raise NoAnswer(text, fault=fault, failed=failed) from None
        self._has_answered()
        if answer is None:  # what gRPC makes of bytes that are no such message
            raise NoAnswer(f"coordinator at {address}: its answer cannot be read", failed=True)
        return answer

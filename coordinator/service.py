"""The two services of the contract: each call is one transaction, and what has to be done after it."""

from __future__ import annotations

import asyncio
import logging
import random
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import grpc
from google.protobuf.message import Message

from coordinator import convert
from coordinator.audit import Audit
from coordinator.core.lease import ttl_in_force
from coordinator.core.letters import choice
from coordinator.core.report import Report, Ruling
from coordinator.core.retry import RetryRule
from coordinator.core.states import LeaseReason, TaskState
from coordinator.core.submission import check_name
from coordinator.dead_letters import DeadLetters
from coordinator.errors import InvalidRequest
from coordinator.metrics import Cause, Metrics
from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc as pb_grpc
from coordinator.spans import place_of_caller
from coordinator.store import leases, results, tasks
from coordinator.store.database import Database
from operating.access.principal import principal_of
from operating.telemetry.lines import fields

tasks_log = logging.getLogger("coordinator.tasks")

Checked = TypeVar("Checked")

# What a report that counts makes of its task.
_ENDS: Final[Mapping[Ruling, tuple[TaskState, Cause]]] = {
    Ruling.COMPLETE: (TaskState.COMPLETED, "reported"),
    Ruling.FAIL: (TaskState.FAILED, "reported"),
    Ruling.RETRY: (TaskState.PENDING, "retried"),
}

_PAGE: Final = 64  # tasks in memory at a time
_PAGE_BYTES: Final = 4 << 20  # or one: each may have an output of megabytes
_INLINE_BYTES: Final = 256 << 10  # below this, to check a message takes less than a hop to another thread


@dataclass(frozen=True, slots=True)
class Rules:
    """What an installation has decided. `most_lost` is of leases, in one attempt."""

    lease_seconds: int
    max_attempts: int
    most_lost: int
    require_digest: bool
    retry: RetryRule


class WorkflowService(pb_grpc.WorkflowServiceServicer):
    """What workers talk to."""

    def __init__(
        self,
        database: Database,
        rules: Rules,
        refilled: Callable[[], None],
        in_doubt: Callable[[], None],
        *,
        metrics: Metrics,
        audit: Audit,
    ) -> None:
        """`refilled` is told when a task has to be dispatched, `in_doubt` when an entry was not its task's."""
        self._database = database
        self._rules = rules
        self._refilled = refilled
        self._in_doubt = in_doubt
        self._metrics = metrics
        self._audit = audit

    async def AcquireTaskLease(
        self, request: pb.AcquireTaskLeaseRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.AcquireTaskLeaseResponse:
        """Raises InvalidRequest and StoreUnavailable, as all of these do."""
        asked = convert.lease_request(request, ttl_in_force(request.ttl_seconds, self._rules.lease_seconds))
        if self._rules.require_digest and not asked.digest:
            raise InvalidRequest("task_digest is required here (COORDINATOR_REQUIRE_DIGEST)")
        answer = await self._database.run(lambda tx: leases.acquire(tx, asked, self._rules.most_lost))
        self._metrics.lease_asked(answer.reason)
        if answer.reason is None:
            self._metrics.moved(TaskState.RUNNING, "leased")
        if answer.ended_task:
            self._metrics.moved(TaskState.FAILED, "lost_too_often")
        if answer.reason is LeaseReason.MISMATCH:
            self._in_doubt()
        if answer.reason is not None:
            trace_id = _trace_id(place_of_caller(context))
            self._audit.lease_refused(asked, answer.reason, principal_of(context), trace_id)
        return convert.lease_response(answer)

    async def RenewTaskLease(
        self, request: pb.AcquireTaskLeaseRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.AcquireTaskLeaseResponse:
        asked = convert.lease_request(request, ttl_in_force(request.ttl_seconds, self._rules.lease_seconds))
        answer = await self._database.run(lambda tx: leases.renew(tx, asked))
        self._metrics.renewal_asked(answer.reason)
        return convert.lease_response(answer)

    async def ReportTaskResult(
        self, request: pb.ReportTaskResultRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ReportTaskResultResponse:
        report = await _checked(request, lambda: convert.report(request))
        chance = random.random()  # noqa: S311 - spreads load, keeps no secret
        ruled = await self._database.run(lambda tx: results.report(tx, report, self._rules.retry, chance))
        ruling, trace_id = ruled.ruling, _trace_id(place_of_caller(context) or ruled.traceparent)
        self._metrics.reported(ruling)
        if ruled.misfit is not None:
            self._audit.report_refused(report, ruled.misfit, principal_of(context), trace_id)
        if ruling in _ENDS:
            state, cause = _ENDS[ruling]
            self._metrics.moved(state, cause)
            _tell(report, state, trace_id)
        if ruling is Ruling.RETRY:
            self._refilled()
        return pb.ReportTaskResultResponse(acknowledged=True, accepted=ruling is not Ruling.STALE)


class CoordinatorService(pb_grpc.CoordinatorServicer):
    """What the command line talks to."""

    def __init__(
        self,
        database: Database,
        letters: DeadLetters,
        max_attempts: int,
        refilled: Callable[[], None],
        *,
        metrics: Metrics,
        audit: Audit,
    ) -> None:
        """`max_attempts` is of tasks that name none."""
        self._metrics = metrics
        self._audit = audit
        self._database = database
        self._letters = letters
        self._max_attempts = max_attempts
        self._refilled = refilled

    async def SubmitTasks(
        self, request: pb.SubmitTasksRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.SubmitTasksResponse:
        new = await _checked(request, lambda: convert.new_tasks(request, self._max_attempts, _new_id))
        created = await self._database.run(lambda tx: tasks.submit(tx, new))
        self._metrics.moved(TaskState.PENDING, "submitted", sum(created))
        self._refilled()
        return pb.SubmitTasksResponse(
            tasks=[
                pb.SubmittedTask(run_id=task.content.run_id, task_id=task.content.task_id, created=is_new)
                for task, is_new in zip(new, created, strict=True)
            ]
        )

    async def ListTasks(
        self, request: pb.ListTasksRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.Task]:
        ids = convert.chosen_ids(request.run_id, request.task_ids)
        keys = await self._database.run(lambda tx: tasks.numbers(tx, request.run_id, ids))
        done = 0
        while done < len(keys):
            page = keys[done : done + _PAGE]
            found, looked_at = await self._database.run(lambda tx, page=page: tasks.load(tx, page, _PAGE_BYTES))  # type: ignore[misc]
            for stored in found:
                yield convert.task(stored)
            done += looked_at

    async def CountTasks(
        self, request: pb.CountTasksRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.TaskCounts:
        return convert.counts(await self._database.run(lambda tx: tasks.count(tx, request.run_id)))

    async def CancelTasks(
        self, request: pb.CancelTasksRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.TaskCounts:
        """Counts the ended tasks by the state that they were in."""
        ids = convert.chosen_ids(request.run_id, request.task_ids)
        open_ones = await self._database.run(lambda tx: tasks.unfinished(tx, request.run_id, ids))
        ended: Counter[TaskState] = Counter()
        for task_id in open_ones:
            state = await self._database.run(lambda tx, one=task_id: results.cancel(tx, request.run_id, one))  # type: ignore[misc]
            if state is not None:
                ended[state] += 1
                self._metrics.moved(TaskState.FAILED, "cancelled")
        return convert.counts(ended)

    async def ListDeadLetters(
        self, request: pb.ListDeadLettersRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ListDeadLettersResponse:
        letters, more = await self._letters.listed(_queue(request.queue))
        return pb.ListDeadLettersResponse(letters=map(convert.letter, letters), truncated=more)

    async def RequeueDeadLetters(
        self, request: pb.RequeueDeadLettersRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.RequeueDeadLettersResponse:
        requeued = await self._letters.requeue(_queue(request.queue), frozenset(request.letters))
        left = sum(one.refusal is not None for one in requeued)
        self._metrics.requeued(len(requeued) - left, left)
        self._audit.letters_requeued([one.letter for one in requeued if one.refusal is None], principal_of(context))
        self._refilled()
        return pb.RequeueDeadLettersResponse(
            letters=[
                pb.RequeuedLetter(
                    letter=convert.letter(one.letter), requeued=one.refusal is None, reason=one.refusal or ""
                )
                for one in requeued
            ]
        )

    async def DropDeadLetters(
        self, request: pb.DropDeadLettersRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.DropDeadLettersResponse:
        """Raises InvalidRequest, and StreamUnavailable where some may be gone already: it may be called again."""
        age = request.older_than_seconds if request.HasField("older_than_seconds") else None
        dropped = await self._letters.drop(_queue(request.queue), choice(request.letters, age), time.time())
        self._metrics.dropped(len(dropped))
        self._audit.letters_dropped(dropped, principal_of(context))
        return pb.DropDeadLettersResponse(letters=map(convert.letter, dropped))


def _tell(report: Report, state: TaskState, trace_id: str) -> None:
    tasks_log.info(
        "an attempt ended",
        extra=fields(
            task_id=report.task_id,
            run_id=report.run_id,
            trace_id=trace_id,
            attempt=report.attempt,
            status="completed" if report.completed else "failed",
            state=state.name,
        ),
    )


def _trace_id(traceparent: str) -> str:
    return traceparent[3:35]


async def _checked(request: Message, check: Callable[[], Checked]) -> Checked:
    """What `check` says. Leases are given and renewed meanwhile, however large the request is."""
    return check() if request.ByteSize() <= _INLINE_BYTES else await asyncio.to_thread(check)


def _new_id() -> str:
    return uuid.uuid4().hex


def _queue(name: str) -> str:
    if name:
        check_name("queue", name)
    return name

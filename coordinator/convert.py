"""Between the messages of the contract and our values. Raises InvalidRequest for what a message must not say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from coordinator.core.bounds import IDS_A_REQUEST, TASKS_A_REQUEST
from coordinator.core.lease import LeaseAnswer, LeaseRequest
from coordinator.core.letters import Letter
from coordinator.core.report import Report, admitted
from coordinator.core.states import TaskState
from coordinator.core.submission import Submitted, check_id, checked
from coordinator.core.task import NewTask
from coordinator.errors import InvalidRequest
from coordinator.pb import coordinator_pb2 as pb
from coordinator.store.tasks import StoredTask

_DIGEST_BYTES: Final = 32
_STATUSES: Final = {"completed": True, "failed": False}


def lease_request(request: pb.AcquireTaskLeaseRequest, ttl_seconds: int) -> LeaseRequest:
    """Of an acquire or a renewal; `ttl_seconds` is the one in force."""
    check_id("run_id", request.run_id)
    check_id("task_id", request.task_id)
    check_id("owner", request.owner)
    if len(request.task_digest) not in (0, _DIGEST_BYTES):
        raise InvalidRequest(f"task_digest has {len(request.task_digest)} bytes: SHA-256 has {_DIGEST_BYTES}")
    return LeaseRequest(
        run_id=request.run_id,
        task_id=request.task_id,
        owner=request.owner,
        ttl_seconds=ttl_seconds,
        attempt=_counted("attempt", request.attempt),
        digest=request.task_digest,
        fence=_counted("fence", request.fence),
    )


def lease_response(answer: LeaseAnswer) -> pb.AcquireTaskLeaseResponse:
    """Of an acquire or a renewal."""
    return pb.AcquireTaskLeaseResponse(
        acquired=answer.reason is None,
        reason=None if answer.reason is None else f"LEASE_REASON_{answer.reason.name}",
        fence=answer.fence,
        attempt=answer.attempt,
    )


def report(request: pb.ReportTaskResultRequest) -> Report:
    """As it is stored."""
    check_id("run_id", request.run_id)
    check_id("task_id", request.task_id)
    if request.owner:
        check_id("owner", request.owner)
    if request.status not in _STATUSES:
        raise InvalidRequest(f"status is {request.status[:40]!r}: expected completed or failed")
    if not (request.fence or request.attempt or request.owner):
        raise InvalidRequest("attempt is required: a report says which execution it speaks of")
    return admitted(
        Report(
            run_id=request.run_id,
            task_id=request.task_id,
            attempt=_counted("attempt", request.attempt),
            owner=request.owner,
            fence=_counted("fence", request.fence),
            completed=_STATUSES[request.status],
            terminal=request.terminal,
            output=request.output,
            error=request.error,
            error_json=request.error_json,
            logs_json=request.logs_json,
        )
    )


def new_tasks(request: pb.SubmitTasksRequest, default_attempts: int, new_id: Callable[[], str]) -> list[NewTask]:
    """Ids are made up where they are missing; the tasks without a run share a new one."""
    if len(request.tasks) > TASKS_A_REQUEST:
        raise InvalidRequest(f"the request has {len(request.tasks)} tasks: at most {TASKS_A_REQUEST} are allowed")
    run_id = new_id()
    return [_new_task(number, task, run_id, default_attempts, new_id) for number, task in enumerate(request.tasks, 1)]


def _new_task(number: int, task: pb.NewTask, run_id: str, default_attempts: int, new_id: Callable[[], str]) -> NewTask:
    submitted = Submitted(
        run_id=task.run_id or run_id,
        task_id=task.task_id or new_id(),
        node_id=task.node_id,
        node_type=task.node_type,
        workflow_id=task.workflow_id,
        workflow_version=task.workflow_version,
        input_json=task.input,
        max_attempts=task.max_attempts,
        queue=task.queue,
        traceparent=task.traceparent,
    )
    try:
        return checked(submitted, default_attempts)
    except InvalidRequest as error:
        raise InvalidRequest(f"task {number}: {error}") from None


def chosen_ids(run_id: str, task_ids: Sequence[str]) -> frozenset[str]:
    """The tasks of a run that a request is about; none means all."""
    check_id("run_id", run_id)
    if len(task_ids) > IDS_A_REQUEST:
        raise InvalidRequest(f"the request has {len(task_ids)} task_ids: at most {IDS_A_REQUEST} are allowed")
    return frozenset(task_ids)


def task(stored: StoredTask) -> pb.Task:
    """A task as it stands."""
    return pb.Task(
        task_id=stored.task_id,
        run_id=stored.run_id,
        node_id=stored.node_id,
        node_type=stored.node_type,
        workflow_id=stored.workflow_id,
        workflow_version=stored.workflow_version,
        queue=stored.queue,
        state=f"TASK_STATE_{stored.state.name}",
        attempt=stored.attempt,
        max_attempts=stored.max_attempts,
        output=stored.output,
        error=stored.error,
        error_json=stored.error_json,
        logs_json=stored.logs_json,
        owner=stored.owner,
        created_at=stored.created_at,
        updated_at=stored.updated_at,
    )


def counts(by_state: dict[TaskState, int]) -> pb.TaskCounts:
    """How many tasks are in each state."""
    return pb.TaskCounts(**{state.name.lower(): number for state, number in by_state.items()})


def letter(found: Letter) -> pb.DeadLetter:
    """A parked entry."""
    return pb.DeadLetter(
        stream=found.stream,
        entry_id=found.entry_id,
        reason=found.reason,
        origin=found.origin,
        run_id=found.run_id,
        task_id=found.task_id,
        attempt=found.attempt,
    )


def _counted(field: str, value: int) -> int:
    if value < 0:
        raise InvalidRequest(f"{field} is {value}: they count from 1, and 0 means not known")
    return value

"""Who may execute a task: the reasons for which a lease is not given.

That a lease is given is decided by the database, in one conditional UPDATE (`store.leases`); here is what to answer
when that UPDATE found no row.
"""

from __future__ import annotations

from dataclasses import dataclass

from coordinator.core.bounds import MOST_LEASE_SECONDS
from coordinator.core.states import FINAL, LeaseReason, TaskState


@dataclass(frozen=True, slots=True)
class LeaseRequest:
    """`attempt` 0, an empty digest and `fence` 0 are not checked: the plain rules."""

    run_id: str
    task_id: str
    owner: str
    ttl_seconds: int
    attempt: int = 0
    digest: bytes = b""
    fence: int = 0


@dataclass(frozen=True, slots=True)
class LeaseAnswer:
    """Acquired when there is no reason why not. `fence` and `attempt` are the task's, 0 where it is not known.

    `ended_task`: its lease was lost too often, and to ask for it has ended the task.
    """

    reason: LeaseReason | None
    fence: int = 0
    attempt: int = 0
    ended_task: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """A task's row, as far as leases are concerned."""

    state: TaskState
    attempt: int
    digest: bytes
    fence: int


def ttl_in_force(asked_seconds: int, default_seconds: int) -> int:
    """0 or less means the default; a dead worker's lease must end some day."""
    return min(asked_seconds, MOST_LEASE_SECONDS) if asked_seconds > 0 else default_seconds


def not_acquired(task: Standing | None, request: LeaseRequest) -> LeaseAnswer:
    """Why this task was not given to this request."""
    if task is None:
        return LeaseAnswer(LeaseReason.UNKNOWN_TASK)
    return LeaseAnswer(_reason(task, request), task.fence, task.attempt)


def _reason(task: Standing, request: LeaseRequest) -> LeaseReason:
    if task.state in FINAL:
        return LeaseReason.DONE
    if request.attempt and request.attempt != task.attempt:
        return LeaseReason.SUPERSEDED
    # Before HELD: a forged entry is parked at once, and does not wait for the end of the execution it speaks of.
    if request.digest and request.digest != task.digest:
        return LeaseReason.MISMATCH
    # RUNNING under a live lease; or it changed between the two statements, and asking again later is right.
    return LeaseReason.HELD


def not_renewed(task: Standing | None) -> LeaseAnswer:
    """Why a lease is lost."""
    if task is None:
        return LeaseAnswer(LeaseReason.UNKNOWN_TASK)
    reason = LeaseReason.DONE if task.state in FINAL else LeaseReason.SUPERSEDED
    return LeaseAnswer(reason, task.fence, task.attempt)

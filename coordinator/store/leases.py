"""Leases: one conditional UPDATE each, on the database's clock (docs/decisions/0043)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from coordinator.core.lease import LeaseAnswer, LeaseRequest, Standing, not_acquired, not_renewed
from coordinator.core.states import LeaseReason, TaskState
from coordinator.store.database import Transaction
from coordinator.store.outbox import enqueue

_ACQUIRE = """
    UPDATE tasks
    SET state = 3, owner = :owner, fence = fence + 1, lease_ttl = :ttl, lease_until = NOW_MS + :ttl,
        lost_leases = lost_leases + CASE WHEN state = 3 THEN 1 ELSE 0 END, updated_at = NOW_MS
    WHERE run_id = :run_id AND task_id = :task_id
      AND (:attempt = 0 OR attempt = :attempt)
      AND (:bound = 0 OR digest = :digest)
      AND (state IN (1, 2) OR (state = 3 AND lease_until <= NOW_MS AND lost_leases < :most_lost))
    RETURNING fence, attempt
"""
_RENEW = """
    UPDATE tasks
    SET lease_ttl = :ttl, lease_until = NOW_MS + :ttl, updated_at = NOW_MS
    WHERE run_id = :run_id AND task_id = :task_id AND state = 3 AND owner = :owner
      AND (:fence = 0 OR fence = :fence)
      AND (:attempt = 0 OR attempt = :attempt)
    RETURNING fence, attempt
"""
_STANDING = "SELECT state, attempt, digest, fence FROM tasks WHERE run_id = :run_id AND task_id = :task_id"
_GIVE_UP = """
    UPDATE tasks
    SET state = 5, error = :error, updated_at = NOW_MS
    WHERE run_id = :run_id AND task_id = :task_id AND state = 3 AND lease_until <= NOW_MS AND lost_leases >= :most_lost
"""
# The entry that is recorded may be the forged one, or may be gone: the sweeper looks after it at once.
_DOUBT = """
    UPDATE tasks SET checked_at = 0
    WHERE run_id = :run_id AND task_id = :task_id AND state = 2 AND checked_at > 0
"""
_ABANDONED = """
    SELECT run_id, task_id, attempt, lost_leases FROM tasks
    WHERE state = 3 AND lease_until <= NOW_MS AND lease_until + lease_ttl <= NOW_MS
    ORDER BY lease_until LIMIT :most FOR_UPDATE SKIP_LOCKED
"""
_TAKE_BACK = """
    UPDATE tasks SET state = 1, lost_leases = lost_leases + 1, updated_at = NOW_MS
    WHERE run_id = :run_id AND task_id = :task_id
"""


def acquire(tx: Transaction, request: LeaseRequest, most_lost: int) -> LeaseAnswer:
    """Gives the lease, or says why not. `most_lost` is how often one attempt may be taken over: then the task ends."""
    key = {"run_id": request.run_id, "task_id": request.task_id}
    won = tx.rows(
        _ACQUIRE,
        **key,
        owner=request.owner,
        ttl=1000 * request.ttl_seconds,
        attempt=request.attempt,
        bound=int(bool(request.digest)),
        digest=request.digest,
        most_lost=most_lost,
    )
    if won:
        return LeaseAnswer(None, won[0]["fence"], won[0]["attempt"])
    ended = tx.change(_GIVE_UP, **key, error=_lost_too_often(most_lost), most_lost=most_lost)
    answer = replace(not_acquired(_standing(tx, request), request), ended_task=bool(ended))
    if answer.reason is LeaseReason.MISMATCH:
        tx.change(_DOUBT, **key)
    return answer


def renew(tx: Transaction, request: LeaseRequest) -> LeaseAnswer:
    """Prolongs the lease of its holder. One that has expired, and that nobody took, is still his."""
    kept = tx.rows(
        _RENEW,
        run_id=request.run_id,
        task_id=request.task_id,
        owner=request.owner,
        ttl=1000 * request.ttl_seconds,
        fence=request.fence,
        attempt=request.attempt,
    )
    if kept:
        return LeaseAnswer(None, kept[0]["fence"], kept[0]["attempt"])
    return not_renewed(_standing(tx, request))


@dataclass(frozen=True, slots=True)
class TakenBack:
    """How many tasks are dispatched `again`, and how many have `ended`."""

    again: int
    ended: int


def take_back(tx: Transaction, most_lost: int, most: int) -> TakenBack:
    """Leases that expired as long ago as they were given for: their tasks are dispatched again, or end."""
    found = tx.rows(_ABANDONED, most=most)
    ended = 0
    for row in found:
        key = {"run_id": row["run_id"], "task_id": row["task_id"]}
        if row["lost_leases"] >= most_lost:
            ended += tx.change(_GIVE_UP, **key, error=_lost_too_often(most_lost), most_lost=most_lost)
        else:
            tx.change(_TAKE_BACK, **key)
            enqueue(tx, row["run_id"], row["task_id"], row["attempt"], delay_ms=0)
    return TakenBack(again=len(found) - ended, ended=ended)


def _standing(tx: Transaction, request: LeaseRequest) -> Standing | None:
    found = tx.rows(_STANDING, run_id=request.run_id, task_id=request.task_id)
    if not found:
        return None
    row = found[0]
    return Standing(TaskState(row["state"]), row["attempt"], bytes(row["digest"]), row["fence"])


def _lost_too_often(most_lost: int) -> str:
    return (
        f"INTERNAL: {most_lost + 1} workers lost the lease of one attempt: each died or froze while it ran "
        "(WORKER_MAX_DELIVERIES)"
    )

"""How attempts end: the report that counts, cancellation, and the second chance of a dead letter."""

from __future__ import annotations

from coordinator.core.report import Report, Ruled, Ruling, Standing, misfit, rule
from coordinator.core.retry import RetryRule
from coordinator.core.states import FINAL, TaskState
from coordinator.store.database import Transaction
from coordinator.store.outbox import content, enqueue

_STANDING = """
    SELECT state, attempt, max_attempts, owner, fence, traceparent FROM tasks
    WHERE run_id = :run_id AND task_id = :task_id FOR_UPDATE
"""
_END = """
    UPDATE tasks
    SET state = :state, output = :output, error = :error, error_json = :error_json, logs_json = :logs_json,
        updated_at = NOW_MS
    WHERE run_id = :run_id AND task_id = :task_id
"""
# The next attempt is another lease's, another entry's and another digest's.
_AGAIN = """
    UPDATE tasks
    SET state = 1, attempt = :attempt, digest = :digest, lost_leases = 0, updated_at = NOW_MS
    WHERE run_id = :run_id AND task_id = :task_id
"""
_FAULT = """
    UPDATE tasks SET error = :error, error_json = :error_json, logs_json = :logs_json
    WHERE run_id = :run_id AND task_id = :task_id
"""
_CANCEL = """
    UPDATE tasks
    SET state = 5, error = 'CANCELLED: cancelled by an operator', error_json = NULL, logs_json = NULL,
        updated_at = NOW_MS
    WHERE run_id = :run_id AND task_id = :task_id
"""
_CLEAR = """
    UPDATE tasks
    SET error = '', error_json = NULL, logs_json = NULL,
        max_attempts = CASE WHEN max_attempts < :attempt THEN :attempt ELSE max_attempts END
    WHERE run_id = :run_id AND task_id = :task_id
"""


def report(tx: Transaction, reported: Report, retry: RetryRule, chance: float) -> Ruled:
    """Ends the attempt, if this is the report that counts: the task has ended, or is PENDING for its next attempt."""
    key = {"run_id": reported.run_id, "task_id": reported.task_id}
    task = _standing(tx, reported.run_id, reported.task_id)
    why_not = misfit(task, reported)
    if task is None or why_not is not None:
        return Ruled(Ruling.STALE, why_not, "" if task is None else task.traceparent)
    ruling = rule(task, reported)
    fault = {"error": reported.error, "error_json": reported.error_json, "logs_json": reported.logs_json}
    if ruling is Ruling.RETRY:
        tx.change(_FAULT, **key, **fault)
        delay_ms = int(1000 * retry.delay_seconds(task.attempt, chance))
        _try_again(tx, reported.run_id, reported.task_id, task.attempt + 1, delay_ms)
    else:
        state = TaskState.COMPLETED if ruling is Ruling.COMPLETE else TaskState.FAILED
        tx.change(_END, **key, **fault, state=int(state), output=reported.output)
    return Ruled(ruling, traceparent=task.traceparent)


def cancel(tx: Transaction, run_id: str, task_id: str) -> TaskState | None:
    """Ends a task that has not ended, as FAILED; returns the state it was in, None when there was nothing to end."""
    task = _standing(tx, run_id, task_id)
    if task is None or task.state in FINAL:
        return None
    tx.change(_CANCEL, run_id=run_id, task_id=task_id)
    return task.state


def revive(tx: Transaction, run_id: str, task_id: str) -> TaskState | None:
    """Gives a FAILED task one more attempt; returns the state that the task was found in, None without one.

    The one way out of a final state, for an operator only.
    """
    task = _standing(tx, run_id, task_id)
    if task is None or task.state is not TaskState.FAILED:
        return None if task is None else task.state
    attempt = task.attempt + 1
    tx.change(_CLEAR, run_id=run_id, task_id=task_id, attempt=attempt)
    _try_again(tx, run_id, task_id, attempt, delay_ms=0)
    return task.state


def _try_again(tx: Transaction, run_id: str, task_id: str, attempt: int, delay_ms: int) -> None:
    found = content(tx, run_id, task_id)
    assert found is not None  # its row is locked
    tx.change(_AGAIN, run_id=run_id, task_id=task_id, attempt=attempt, digest=found.digest(attempt))
    enqueue(tx, run_id, task_id, attempt, delay_ms)


def _standing(tx: Transaction, run_id: str, task_id: str) -> Standing | None:
    found = tx.rows(_STANDING, run_id=run_id, task_id=task_id)
    if not found:
        return None
    row = found[0]
    return Standing(
        TaskState(row["state"]), row["attempt"], row["max_attempts"], row["owner"], row["fence"], row["traceparent"]
    )

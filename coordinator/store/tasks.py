"""Tasks come, are looked at, and are forgotten."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from coordinator.core.states import TaskState
from coordinator.core.task import NewTask
from coordinator.store.database import Row, Transaction
from coordinator.store.outbox import enqueue

_FIRST_ATTEMPT = 1
_INSERT = """
    INSERT INTO tasks (run_id, task_id, node_id, node_type, workflow_id, workflow_version, traceparent, queue, input,
                       state, attempt, max_attempts, digest, created_at, updated_at)
    VALUES (:run_id, :task_id, :node_id, :node_type, :workflow_id, :workflow_version, :traceparent, :queue, :input,
            1, :attempt, :max_attempts, :digest, NOW_MS, NOW_MS)
    ON CONFLICT (run_id, task_id) DO NOTHING
"""
_LOAD = """
    SELECT run_id, task_id, node_id, node_type, workflow_id, workflow_version, queue, state, attempt, max_attempts,
           output, error, error_json, logs_json, owner, created_at, updated_at
    FROM tasks WHERE seq = :seq
"""
_FORGET = """
    DELETE FROM tasks WHERE state IN (4, 5) AND seq IN (
      SELECT seq FROM tasks WHERE state IN (4, 5) AND updated_at <= NOW_MS - :age_ms ORDER BY updated_at LIMIT :most
    )
"""


@dataclass(frozen=True, slots=True)
class StoredTask:
    """A task as it stands. Moments are seconds since 1970, by the database's clock."""

    run_id: str
    task_id: str
    node_id: str
    node_type: str
    workflow_id: str
    workflow_version: str
    queue: str
    state: TaskState
    attempt: int
    max_attempts: int
    output: bytes
    error: str
    error_json: bytes
    logs_json: bytes
    owner: str
    created_at: float
    updated_at: float


def submit(tx: Transaction, tasks: Sequence[NewTask]) -> list[bool]:
    """Creates the tasks that are not there yet; tells of each whether it did."""
    return [_insert(tx, task) for task in tasks]


def numbers(tx: Transaction, run_id: str, task_ids: Collection[str]) -> list[int]:
    """The keys of a run's tasks, all or these, in the order they were submitted in."""
    found = tx.rows("SELECT seq, task_id FROM tasks WHERE run_id = :run_id ORDER BY seq", run_id=run_id)
    return [row["seq"] for row in found if not task_ids or row["task_id"] in task_ids]


def load(tx: Transaction, keys: Sequence[int], most_bytes: int) -> tuple[list[StoredTask], int]:
    """The tasks of the first keys that are still there, and of how many keys: until `most_bytes` are reached."""
    found: list[StoredTask] = []
    size = 0
    for number, seq in enumerate(keys, 1):
        for row in tx.rows(_LOAD, seq=seq):
            found.append(_stored(row))
            size += len(found[-1].output) + len(found[-1].logs_json)
        if size >= most_bytes:
            return found, number
    return found, len(keys)


def count(tx: Transaction, run_id: str) -> dict[TaskState, int]:
    """How many tasks are in each state, of a run or, without one, of all."""
    only = "WHERE run_id = :run_id" if run_id else ""
    found = tx.rows(f"SELECT state, COUNT(*) AS tasks FROM tasks {only} GROUP BY state", run_id=run_id)  # noqa: S608 - no value
    return {TaskState(row["state"]): row["tasks"] for row in found}


def unfinished(tx: Transaction, run_id: str, task_ids: Collection[str]) -> list[str]:
    """The tasks of a run, all or these, that have not ended."""
    found = tx.rows("SELECT task_id FROM tasks WHERE run_id = :run_id AND state < 4 ORDER BY seq", run_id=run_id)
    return [row["task_id"] for row in found if not task_ids or row["task_id"] in task_ids]


def queues(tx: Transaction) -> list[str]:
    """The queues of all tasks."""
    return [row["queue"] for row in tx.rows("SELECT DISTINCT queue FROM tasks ORDER BY queue")]


def forget(tx: Transaction, age_ms: int, most: int) -> int:
    """Removes tasks that ended so long ago; how many."""
    return tx.change(_FORGET, age_ms=age_ms, most=most)


def _insert(tx: Transaction, task: NewTask) -> bool:
    content = task.content
    created = tx.change(
        _INSERT,
        run_id=content.run_id,
        task_id=content.task_id,
        node_id=content.node_id,
        node_type=content.node_type,
        workflow_id=content.workflow_id,
        workflow_version=content.workflow_version,
        traceparent=content.traceparent,
        queue=task.queue,
        input=content.input_json,
        attempt=_FIRST_ATTEMPT,
        max_attempts=task.max_attempts,
        digest=content.digest(_FIRST_ATTEMPT),
    )
    if created:
        enqueue(tx, content.run_id, content.task_id, _FIRST_ATTEMPT, delay_ms=0)
    return bool(created)


def _stored(row: Row) -> StoredTask:
    fields = {name: bytes(row[name] or b"") for name in ("output", "error_json", "logs_json")}
    moments = {name: row[name] / 1000 for name in ("created_at", "updated_at")}
    return StoredTask(**{**row, **fields, **moments, "state": TaskState(row["state"])})

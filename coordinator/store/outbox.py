"""The outbox: which tasks have to be put into their streams. A PENDING task always has a row here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coordinator.core.task import Content
from coordinator.store.database import Row, Transaction

_ENQUEUE = """
    INSERT INTO outbox (run_id, task_id, attempt, available_at) VALUES (:run_id, :task_id, :attempt, NOW_MS + :delay)
"""
_CLAIM = """
    UPDATE outbox SET claimed_until = NOW_MS + :claim_ms
    WHERE id IN (
      SELECT id FROM outbox WHERE available_at <= NOW_MS AND claimed_until <= NOW_MS
      ORDER BY available_at, id LIMIT :most FOR_UPDATE SKIP_LOCKED
    )
    RETURNING id, run_id, task_id, attempt, available_at
"""
_SIZE = """
    SELECT queue, LENGTH(input) AS size FROM tasks
    WHERE run_id = :run_id AND task_id = :task_id AND state = 1 AND attempt = :attempt
"""
_CONTENT = """
    SELECT run_id, task_id, node_id, node_type, workflow_id, workflow_version, traceparent, input FROM tasks
    WHERE run_id = :run_id AND task_id = :task_id
"""
_NEXT = """
    SELECT CASE WHEN available_at > claimed_until THEN available_at ELSE claimed_until END - NOW_MS AS wait FROM outbox
    ORDER BY wait LIMIT 1
"""
_BACKLOG = "SELECT COUNT(*) AS tasks, NOW_MS - MIN(available_at) AS lag FROM outbox"
# Who was quicker than this has the lease already, and keeps it.
_QUEUED = """
    UPDATE tasks SET state = 2, stream = :stream, entry_id = :entry_id, checked_at = NOW_MS, updated_at = NOW_MS
    WHERE run_id = :run_id AND task_id = :task_id AND state = 1 AND attempt = :attempt
"""
_TO_CHECK = """
    SELECT run_id, task_id, attempt, stream, entry_id FROM tasks
    WHERE state = 2 AND checked_at <= NOW_MS - :age_ms ORDER BY checked_at LIMIT :most
"""
_SEEN = """
    UPDATE tasks SET checked_at = NOW_MS
    WHERE run_id = :run_id AND task_id = :task_id AND state = 2 AND stream = :stream AND entry_id = :entry_id
"""
_LOST = """
    UPDATE tasks SET state = 1, updated_at = NOW_MS
    WHERE run_id = :run_id AND task_id = :task_id AND state = 2 AND stream = :stream AND entry_id = :entry_id
"""


@dataclass(frozen=True, slots=True)
class Due:
    """One row of the outbox that is ours for a while. `size` is of the input, in bytes."""

    id: int
    run_id: str
    task_id: str
    attempt: int
    queue: str
    size: int


@dataclass(frozen=True, slots=True)
class Dispatched:
    """A row whose entry is in its stream."""

    due: Due
    stream: str
    entry_id: str


@dataclass(frozen=True, slots=True)
class QueuedEntry:
    """Where the entry of a QUEUED task was put."""

    run_id: str
    task_id: str
    attempt: int
    stream: str
    entry_id: str


def enqueue(tx: Transaction, run_id: str, task_id: str, attempt: int, delay_ms: int) -> None:
    """Has this attempt dispatched after the delay. A row of an earlier one goes: with it, its claim."""
    tx.change("DELETE FROM outbox WHERE run_id = :run_id AND task_id = :task_id", run_id=run_id, task_id=task_id)
    tx.change(
        _ENQUEUE,
        run_id=run_id,
        task_id=task_id,
        attempt=attempt,
        delay=delay_ms,
    )


def claim(tx: Transaction, most: int, claim_ms: int) -> list[Due]:
    """Rows that are due, the longest waiting first; nobody else gets them for `claim_ms`. Rows of tasks that are
    PENDING no more are removed.
    """
    claimed = sorted(tx.rows(_CLAIM, most=most, claim_ms=claim_ms), key=lambda row: (row["available_at"], row["id"]))
    due: list[Due] = []
    for row in claimed:
        key = {"run_id": row["run_id"], "task_id": row["task_id"], "attempt": row["attempt"]}
        if found := tx.rows(_SIZE, **key):
            due.append(Due(id=row["id"], **key, queue=found[0]["queue"], size=found[0]["size"]))
        else:
            tx.change("DELETE FROM outbox WHERE id = :id", id=row["id"])
    return due


def contents(tx: Transaction, due: Sequence[Due]) -> list[Content | None]:
    """What is to be dispatched; None where the task is there no more."""
    return [_content(tx.rows(_CONTENT, run_id=row.run_id, task_id=row.task_id)) for row in due]


def dispatched(tx: Transaction, done: Sequence[Dispatched]) -> int:
    """The entries are in their streams: the tasks are QUEUED, and the rows go. How many tasks."""
    queued = 0
    for entry in done:
        queued += tx.change(
            _QUEUED,
            run_id=entry.due.run_id,
            task_id=entry.due.task_id,
            attempt=entry.due.attempt,
            stream=entry.stream,
            entry_id=entry.entry_id,
        )
        tx.change("DELETE FROM outbox WHERE id = :id", id=entry.due.id)
    return queued


def release(tx: Transaction, due: Sequence[Due]) -> None:
    """Gives claimed rows back: they could not be dispatched."""
    for row in due:
        tx.change("UPDATE outbox SET claimed_until = 0 WHERE id = :id", id=row.id)


def release_all(tx: Transaction) -> None:
    """For a database that only this process opens: who claimed these rows is dead."""
    tx.change("UPDATE outbox SET claimed_until = 0 WHERE claimed_until > 0")


def next_due_ms(tx: Transaction) -> int | None:
    """Milliseconds until a row is due; 0 or less when one is, None without any row."""
    found = tx.rows(_NEXT)
    return int(found[0]["wait"]) if found else None


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many tasks wait to be put into their streams, and how long the oldest that is due."""

    tasks: int
    lag_ms: int


def backlog(tx: Transaction) -> Backlog:
    """As it is now."""
    (row,) = tx.rows(_BACKLOG)
    return Backlog(row["tasks"], max(0, row["lag"] or 0))


def entries_to_check(tx: Transaction, age_ms: int, most: int) -> list[QueuedEntry]:
    """Entries that nobody looked after for so long, the longest ago first."""
    return [QueuedEntry(**row) for row in tx.rows(_TO_CHECK, age_ms=age_ms, most=most)]


def entries_checked(tx: Transaction, there: Sequence[QueuedEntry], gone: Sequence[QueuedEntry]) -> int:
    """Has the tasks dispatched again whose entries are gone; returns how many. What changed meanwhile stays."""
    for entry in there:
        tx.change(_SEEN, **_place(entry))
    lost = 0
    for entry in gone:
        if tx.change(_LOST, **_place(entry)):
            enqueue(tx, entry.run_id, entry.task_id, entry.attempt, delay_ms=0)
            lost += 1
    return lost


def _place(entry: QueuedEntry) -> dict[str, str]:
    return {
        "run_id": entry.run_id,
        "task_id": entry.task_id,
        "stream": entry.stream,
        "entry_id": entry.entry_id,
    }


def _content(found: list[Row]) -> Content | None:
    if not found:
        return None
    row = found[0]
    return Content(
        run_id=row["run_id"],
        task_id=row["task_id"],
        node_id=row["node_id"],
        node_type=row["node_type"],
        workflow_id=row["workflow_id"],
        workflow_version=row["workflow_version"],
        input_json=bytes(row["input"]),
        traceparent=row["traceparent"],
    )


def content(tx: Transaction, run_id: str, task_id: str) -> Content | None:
    """One task's."""
    return _content(tx.rows(_CONTENT, run_id=run_id, task_id=task_id))

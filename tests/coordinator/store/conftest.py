"""Both databases, and tasks in them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from coordinator.core.lease import LeaseAnswer, LeaseRequest
from coordinator.core.report import Report, Ruling
from coordinator.core.retry import RetryRule
from coordinator.core.task import Content, NewTask
from coordinator.store import leases, outbox, results, tasks
from coordinator.store.database import Database
from coordinator.store.opened import opener

MOST_LOST = 2
RETRY = RetryRule(10.0)


def content(task_id: str = "t", **changes: object) -> Content:
    fields = {
        "run_id": "r",
        "task_id": task_id,
        "node_id": task_id,
        "node_type": "python",
        "workflow_id": "w",
        "workflow_version": "1",
        "input_json": b'{"code": "return 1"}',
        "traceparent": "",
    }
    return Content(**{**fields, **changes})


@dataclass
class Table:
    """The task table, in the words of the tests."""

    database: Database

    async def add(self, task_id: str = "t", max_attempts: int = 2, **changes: object) -> bool:
        new = NewTask(content(task_id, **changes), "python", max_attempts)
        (created,) = await self.database.run(lambda tx: tasks.submit(tx, [new]))
        return created

    async def dispatch(self, entry_id: str = "1-0") -> list[outbox.Due]:
        """Has all that is due put into a stream; what it was."""
        due = await self.database.run(lambda tx: outbox.claim(tx, 100, 30_000))
        done = [outbox.Dispatched(one, "tasks:python:0", entry_id) for one in due]
        await self.database.run(lambda tx: outbox.dispatched(tx, done))
        return due

    async def acquire(self, owner: str = "w1", ttl: int = 60, task_id: str = "t", **asked: object) -> LeaseAnswer:
        request = LeaseRequest("r", task_id, owner, ttl, **asked)
        return await self.database.run(lambda tx: leases.acquire(tx, request, MOST_LOST))

    async def renew(self, owner: str = "w1", ttl: int = 60, task_id: str = "t", **asked: object) -> LeaseAnswer:
        request = LeaseRequest("r", task_id, owner, ttl, **asked)
        return await self.database.run(lambda tx: leases.renew(tx, request))

    async def report(
        self, task_id: str = "t", completed: bool = True, terminal: bool = False, **said: object
    ) -> Ruling:
        report = Report(
            run_id="r",
            task_id=task_id,
            attempt=said.get("attempt", 0),
            owner=said.get("owner", ""),
            fence=said.get("fence", 0),
            completed=completed,
            terminal=terminal,
            output=said.get("output", b"1" if completed else b""),
            error=said.get("error", "" if completed else "USER_ERROR: no"),
            error_json=said.get("error_json", b""),
            logs_json=said.get("logs_json", b""),
        )
        return (await self.database.run(lambda tx: results.report(tx, report, RETRY, 1.0))).ruling

    async def sweep(self) -> int:
        taken = await self.database.run(lambda tx: leases.take_back(tx, MOST_LOST, 100))
        return taken.again + taken.ended

    async def row(self, task_id: str = "t") -> dict:
        (found,) = await self.database.run(lambda tx: tx.rows("SELECT * FROM tasks WHERE task_id = :id", id=task_id))
        return found

    async def state(self, task_id: str = "t") -> int:
        return (await self.row(task_id))["state"]

    async def waiting(self) -> list[dict]:
        return await self.database.run(lambda tx: tx.rows("SELECT * FROM outbox ORDER BY id"))

    async def later(self, seconds: float) -> None:
        """As if so much time had passed: the database's clock cannot be set, the moments in the rows can."""
        ms = int(seconds * 1000)

        def shift(tx) -> None:
            tx.change(
                "UPDATE tasks SET lease_until = lease_until - :ms, checked_at = checked_at - :ms, "
                "created_at = created_at - :ms, updated_at = updated_at - :ms",
                ms=ms,
            )
            tx.change("UPDATE outbox SET available_at = available_at - :ms, claimed_until = claimed_until - :ms", ms=ms)

        await self.database.run(shift)


@pytest.fixture
async def table(database_url: str) -> AsyncIterator[Table]:
    database = opener(database_url)()
    yield Table(database)
    await database.close()

"""The store against a small model: whatever happens in whatever order, what must hold holds."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from coordinator.core.lease import LeaseAnswer
from coordinator.core.report import Ruling
from coordinator.core.states import FINAL, LeaseReason, TaskState
from coordinator.store import outbox, results
from coordinator.store.opened import opener
from tests.coordinator.store.conftest import MOST_LOST, Table, content

TASKS = ("a", "b")
OWNERS = ("w1", "w2")
ATTEMPTS = 6
seldom = st.integers(0, 5).map(lambda number: number == 0)  # what ends a task, or little would happen to it
names, owners = st.sampled_from(TASKS), st.sampled_from(OWNERS)


@dataclass
class Known:
    """What the model knows of a task."""

    state: TaskState = TaskState.PENDING
    attempt: int = 1
    fence: int = 0
    owner: str = ""
    expires_in: float = 0.0
    ttl: float = 0.0
    lost: int = 0
    accepted: list[int] = field(default_factory=list)
    entries: set[str] = field(default_factory=set)  # those in the stream


class AnyOrder(RuleBasedStateMachine):
    """Workers, the dispatcher, the sweeper, Redis and an operator, each doing what they like."""

    url = ""
    leases = Bundle("leases")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.table = Table(opener(self.url)())
        self.known = {name: Known() for name in TASKS}
        self.entry = 0
        self.do(self.table.database.run(lambda tx: (tx.change("DELETE FROM tasks"), tx.change("DELETE FROM outbox"))))

    def do(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    def teardown(self) -> None:
        self.do(self.table.database.close())
        self.loop.close()

    @initialize()
    def submit(self) -> None:
        for name in TASKS:
            assert self.do(self.table.add(name, max_attempts=ATTEMPTS))

    @rule()
    def dispatch(self) -> None:
        self.entry += 1
        entry_id = f"{self.entry}-0"
        for due in self.do(self.table.dispatch(entry_id)):
            known = self.known[due.task_id]
            assert (known.state, known.attempt) == (TaskState.PENDING, due.attempt)
            known.state = TaskState.QUEUED
            known.entries.add(entry_id)

    @rule(
        target=leases,
        name=names,
        owner=owners,
        ttl=st.sampled_from([10, 100]),
        off=st.sampled_from([0, 0, 0, 0, None, -1, 1]),
        forged=seldom,
    )
    def acquire(self, name, owner, ttl, off, forged):
        """With an entry of the task's attempt, of another, or one that names none."""
        known, honest = self.known[name], not forged
        attempt = 0 if off is None else known.attempt + off
        digest = content(name).digest(attempt) if honest and attempt else b"" if honest else b"\7" * 32
        answer = self.do(self.table.acquire(owner, ttl, name, attempt=attempt, digest=digest))
        assert answer.reason is self.expected_refusal(known, attempt, honest)
        if answer.reason is not None:
            return multiple()
        assert answer == LeaseAnswer(None, known.fence + 1, known.attempt)
        known.lost += known.state is TaskState.RUNNING
        known.state, known.fence, known.owner = TaskState.RUNNING, answer.fence, owner
        known.expires_in = known.ttl = ttl
        return (name, owner, answer)

    @rule(target=leases, name=names, owner=owners)
    def acquire_and_freeze(self, name, owner):
        """Longer than the lease, and not so long that it is taken back."""
        lease = self.acquire(name, owner, 100, 0, False)
        self.wait(101)
        return lease

    def expected_refusal(self, known, attempt, honest):
        expired = known.state is TaskState.RUNNING and known.expires_in <= 0
        if expired and known.lost >= MOST_LOST:
            known.state = TaskState.FAILED
        if known.state in FINAL:
            return LeaseReason.DONE
        if attempt not in (0, known.attempt):
            return LeaseReason.SUPERSEDED
        if not honest:
            return LeaseReason.MISMATCH
        return LeaseReason.HELD if known.state is TaskState.RUNNING and not expired else None

    def holds(self, name, answer) -> bool:
        known = self.known[name]
        return known.state is TaskState.RUNNING and known.fence == answer.fence

    @rule(lease=leases, ttl=st.sampled_from([10, 100]))
    def renew(self, lease, ttl) -> None:
        name, owner, answer = lease
        renewed = self.do(self.table.renew(owner, ttl, name, fence=answer.fence, attempt=answer.attempt))
        assert (renewed.reason is None) is self.holds(name, answer)
        if renewed.reason is None:
            self.known[name].expires_in = self.known[name].ttl = ttl

    @rule(lease=leases, completed=seldom, terminal=seldom, plain=st.booleans())
    def report(self, lease, completed, terminal, plain) -> None:
        name, owner, answer = lease
        known = self.known[name]
        said = {"attempt": answer.attempt, "owner": owner} | ({} if plain else {"fence": answer.fence})
        counts = self.holds(name, answer)
        if plain:
            counts = known.state is TaskState.RUNNING and (known.attempt, known.owner) == (answer.attempt, owner)
        ruling = self.do(self.table.report(name, completed=completed, terminal=terminal, **said))
        assert (ruling is not Ruling.STALE) is counts
        if not counts:
            return
        known.accepted.append(known.attempt)
        if completed:
            known.state = TaskState.COMPLETED
        elif terminal or known.attempt == ATTEMPTS:
            known.state = TaskState.FAILED
        else:
            known.state, known.attempt, known.lost = TaskState.PENDING, known.attempt + 1, 0

    @rule(seconds=st.sampled_from([11, 101, 300]))
    def wait(self, seconds) -> None:
        self.do(self.table.later(seconds))
        for known in self.known.values():
            known.expires_in -= seconds

    @rule()
    def sweep(self) -> None:
        self.do(self.table.sweep())
        for known in self.known.values():
            if known.state is TaskState.RUNNING and known.expires_in + known.ttl <= 0:
                if known.lost >= MOST_LOST:
                    known.state = TaskState.FAILED
                else:
                    known.state, known.lost = TaskState.PENDING, known.lost + 1

    @rule(name=names)
    def redis_loses_the_entries(self, name) -> None:
        self.known[name].entries.clear()

    @rule()
    def look_after_entries(self) -> None:
        found = self.do(self.table.database.run(lambda tx: outbox.entries_to_check(tx, 0, 100)))
        there = [entry for entry in found if entry.entry_id in self.known[entry.task_id].entries]
        gone = [entry for entry in found if entry not in there]
        self.do(self.table.database.run(lambda tx: outbox.entries_checked(tx, there, gone)))
        for entry in gone:
            self.known[entry.task_id].state = TaskState.PENDING

    @rule(name=names, really=seldom)
    def cancel(self, name, really) -> None:
        if not really:
            return
        known = self.known[name]
        was = self.do(self.table.database.run(lambda tx: results.cancel(tx, "r", name)))
        assert was is (None if known.state in FINAL else known.state)
        if was is not None:
            known.state = TaskState.FAILED

    @invariant()
    def the_table_is_what_the_model_says(self) -> None:
        waiting = {row["task_id"]: row["attempt"] for row in self.do(self.table.waiting())}
        rows = self.do(self.table.database.run(lambda tx: tx.rows("SELECT * FROM tasks")))
        for name, known in self.known.items():
            for row in filter(lambda row, one=name: row["task_id"] == one, rows):  # none before the first step
                assert (row["state"], row["attempt"], row["fence"]) == (known.state, known.attempt, known.fence)
                assert known.accepted == sorted(set(known.accepted))  # each attempt at most once
                # A way forward: a row of the outbox, an entry that is looked after, a lease that runs out.
                if known.state is TaskState.PENDING:
                    assert waiting.get(name) == known.attempt
                if known.state is TaskState.QUEUED:
                    assert (row["stream"], bool(row["entry_id"])) == ("tasks:python:0", True)
                if known.state is TaskState.RUNNING:
                    assert row["lease_until"] > 0
                    assert row["lease_ttl"] > 0


@pytest.mark.parametrize(("database_url", "examples"), [("sqlite", 150), ("postgresql", 40)], indirect=["database_url"])
def test_in_any_order(database_url, examples):
    machine = type("AnyOrderHere", (AnyOrder,), {"url": database_url})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )

"""Which report counts, and what becomes of the task."""

from __future__ import annotations

import asyncio

import pytest

from coordinator.core.report import Ruling
from coordinator.core.states import TaskState
from coordinator.store import results
from tests.coordinator.store.conftest import content


async def test_completed(table):
    await table.add()
    lease = await table.acquire()

    assert await table.report(fence=lease.fence, output=b'{"a":1}', logs_json=b"[]") is Ruling.COMPLETE
    row = await table.row()
    assert (row["state"], bytes(row["output"]), bytes(row["logs_json"])) == (TaskState.COMPLETED, b'{"a":1}', b"[]")


async def test_failed_with_attempts_left_is_tried_again_later(table):
    await table.add(max_attempts=2)
    lease = await table.acquire()

    assert await table.report(completed=False, fence=lease.fence, error="USER_ERROR: x") is Ruling.RETRY
    row = await table.row()
    assert (row["state"], row["attempt"], row["error"]) == (TaskState.PENDING, 2, "USER_ERROR: x")
    assert bytes(row["digest"]) == content().digest(2)
    (waiting,) = await table.waiting()
    assert waiting["attempt"] == 2
    assert 9_000 < waiting["available_at"] - row["updated_at"] < 11_000
    assert await table.dispatch() == []
    await table.later(11)
    assert [due.attempt for due in await table.dispatch()] == [2]
    assert await table.state() == TaskState.QUEUED


async def test_failed_without_attempts_left_is_failed(table):
    await table.add(max_attempts=1)
    lease = await table.acquire()

    assert await table.report(completed=False, fence=lease.fence) is Ruling.FAIL
    assert await table.state() == TaskState.FAILED


async def test_a_terminal_failure_skips_the_retries(table):
    await table.add(max_attempts=9)
    lease = await table.acquire()

    assert await table.report(completed=False, terminal=True, fence=lease.fence) is Ruling.FAIL


async def test_a_success_after_a_failure_leaves_no_error(table):
    await table.add()
    lease = await table.acquire()
    await table.report(completed=False, fence=lease.fence, error="USER_ERROR: x", error_json=b"{}")
    lease = await table.acquire()
    await table.report(fence=lease.fence)

    row = await table.row()
    assert (row["error"], bytes(row["error_json"])) == ("", b"")


async def test_a_repeated_report_changes_nothing(table):
    await table.add()
    lease = await table.acquire()
    await table.report(fence=lease.fence, output=b"1")
    before = await table.row()

    assert await table.report(fence=lease.fence, output=b"2") is Ruling.STALE
    assert await table.report(completed=False, fence=lease.fence) is Ruling.STALE
    assert await table.row() == before


async def test_a_repeated_failure_costs_one_attempt(table):
    await table.add(max_attempts=5)
    lease = await table.acquire()
    said = {"fence": lease.fence, "attempt": 1, "owner": "w1"}
    answers = await asyncio.gather(*(table.report(completed=False, **said) for _ in range(10)))

    assert sorted(answer.name for answer in answers) == ["RETRY"] + ["STALE"] * 9
    assert (await table.row())["attempt"] == 2


async def test_the_report_of_a_lease_that_was_taken_over_is_stale(table):
    await table.add()
    old = await table.acquire("w1")
    await table.later(61)
    new = await table.acquire("w2")

    assert await table.report(fence=old.fence, attempt=1, owner="w1") is Ruling.STALE
    assert await table.report(attempt=1, owner="w1") is Ruling.STALE
    assert await table.report(fence=new.fence, owner="w1") is Ruling.STALE
    assert await table.state() == TaskState.RUNNING
    assert await table.report(fence=new.fence, attempt=1, owner="w2") is Ruling.COMPLETE


async def test_a_report_of_the_same_worker_s_lost_lease_is_stale(table):
    await table.add()
    old = await table.acquire("w1")
    await table.later(61)
    new = await table.acquire("w1")

    assert await table.report(fence=old.fence, attempt=1, owner="w1") is Ruling.STALE
    assert await table.report(fence=new.fence, attempt=1, owner="w1") is Ruling.COMPLETE


async def test_by_the_plain_rule_the_attempt_of_a_running_task_is_enough(table):
    await table.add()
    await table.acquire()

    assert await table.report(attempt=2) is Ruling.STALE
    assert await table.report(attempt=1) is Ruling.COMPLETE


async def test_a_report_without_a_lease_is_stale(table):
    await table.add()

    assert await table.report(attempt=1) is Ruling.STALE
    await table.dispatch()
    assert await table.report(attempt=1, owner="w1") is Ruling.STALE
    assert await table.report("none", attempt=1) is Ruling.STALE


async def test_a_report_that_names_no_execution_is_stale(table):
    await table.add()
    await table.acquire()

    assert await table.report() is Ruling.STALE


async def test_the_report_of_an_expired_lease_that_nobody_took_counts(table):
    await table.add()
    lease = await table.acquire()
    await table.later(61)

    assert await table.report(fence=lease.fence) is Ruling.COMPLETE


@pytest.mark.parametrize("state", ["PENDING", "QUEUED", "RUNNING"])
async def test_cancelled(table, state):
    await table.add()
    lease = None
    if state != "PENDING":
        await table.dispatch()
    if state == "RUNNING":
        lease = await table.acquire()

    was = await table.database.run(lambda tx: results.cancel(tx, "r", "t"))

    assert was.name == state
    assert (await table.row())["error"].startswith("CANCELLED: ")
    assert await table.database.run(lambda tx: results.cancel(tx, "r", "t")) is None
    assert await table.dispatch() == []
    if lease:
        assert await table.report(fence=lease.fence) is Ruling.STALE
        assert (await table.renew()).reason.name == "DONE"


async def test_a_failed_task_is_revived_with_one_attempt_more(table):
    await table.add(max_attempts=1)
    lease = await table.acquire()
    await table.report(completed=False, fence=lease.fence)

    assert await table.database.run(lambda tx: results.revive(tx, "r", "t")) is TaskState.FAILED

    row = await table.row()
    assert (row["state"], row["attempt"], row["max_attempts"], row["error"]) == (TaskState.PENDING, 2, 2, "")
    assert [due.attempt for due in await table.dispatch()] == [2]
    assert (await table.acquire(attempt=2, digest=content().digest(2))).fence == lease.fence + 1


async def test_only_a_failed_task_is_revived(table):
    await table.add()

    assert await table.database.run(lambda tx: results.revive(tx, "r", "t")) is TaskState.PENDING
    assert await table.database.run(lambda tx: results.revive(tx, "r", "none")) is None
    lease = await table.acquire()
    await table.report(fence=lease.fence)
    assert await table.database.run(lambda tx: results.revive(tx, "r", "t")) is TaskState.COMPLETED
    assert await table.state() == TaskState.COMPLETED

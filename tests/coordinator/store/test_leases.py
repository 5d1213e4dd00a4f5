"""The plain rules of leases, row by row, and what goes beyond them."""

from __future__ import annotations

import asyncio

import pytest

from coordinator.core.states import LeaseReason, TaskState
from tests.coordinator.store.conftest import MOST_LOST, content


async def test_a_pending_task_is_leased(table):
    await table.add()

    answer = await table.acquire()

    assert (answer.reason, answer.fence, answer.attempt) == (None, 1, 1)
    row = await table.row()
    assert (row["state"], row["owner"]) == (TaskState.RUNNING, "w1")
    assert 59_000 < row["lease_until"] - row["updated_at"] <= 60_000


async def test_a_queued_task_is_leased(table):
    await table.add()
    await table.dispatch()
    assert await table.state() == TaskState.QUEUED

    assert (await table.acquire()).reason is None


async def test_a_running_task_under_a_live_lease_is_not_leased_not_even_to_its_holder(table):
    await table.add()
    await table.acquire("w1")

    assert (await table.acquire("w2")).reason is LeaseReason.HELD
    assert (await table.acquire("w1")).reason is LeaseReason.HELD
    assert (await table.row())["fence"] == 1


async def test_a_running_task_under_an_expired_lease_is_taken_over(table):
    await table.add()
    await table.acquire("w1")
    await table.later(61)

    answer = await table.acquire("w2")

    assert (answer.reason, answer.fence, answer.attempt) == (None, 2, 1)
    assert (await table.row())["owner"] == "w2"


@pytest.mark.parametrize("completed", [True, False])
async def test_a_task_that_has_ended_is_not_leased(table, completed):
    await table.add()
    lease = await table.acquire()
    await table.report(completed=completed, terminal=True, fence=lease.fence)

    assert (await table.acquire("w2")).reason is LeaseReason.DONE


async def test_a_task_that_is_not_there_is_not_leased(table):
    assert (await table.acquire()).reason is LeaseReason.UNKNOWN_TASK


@pytest.mark.parametrize("attempt", [1, 3])
async def test_another_attempt_is_superseded(table, attempt):
    await table.add(max_attempts=5)
    lease = await table.acquire()
    await table.report(completed=False, fence=lease.fence)

    answer = await table.acquire(attempt=attempt)

    assert (answer.reason, answer.attempt) == (LeaseReason.SUPERSEDED, 2)
    assert (await table.acquire(attempt=2)).reason is None


@pytest.mark.parametrize("state", ["PENDING", "QUEUED", "RUNNING"])
async def test_an_entry_of_another_content_is_a_mismatch_and_changes_nothing(table, state):
    await table.add()
    if state != "PENDING":
        await table.dispatch()
    if state == "RUNNING":
        await table.acquire()
    before = await table.row()

    forged = content(input_json=b'{"code": "steal()"}').digest(1)
    answer = await table.acquire("w2", attempt=1, digest=forged)

    assert answer.reason is LeaseReason.MISMATCH
    after = await table.row()
    assert {**after, "checked_at": 0} == {**before, "checked_at": 0}


@pytest.mark.parametrize("asked", [{"attempt": 2}, {"digest": b"\1" * 32}])
async def test_who_gets_no_lease_ends_no_task_under_an_expired_one(table, asked):
    await table.add()
    await table.acquire()
    await table.later(61)
    before = await table.row()

    assert (await table.acquire("w2", **asked)).reason in (LeaseReason.SUPERSEDED, LeaseReason.MISMATCH)

    assert await table.row() == before


async def test_an_entry_of_the_task_s_own_content_is_leased(table):
    await table.add()

    assert (await table.acquire(attempt=1, digest=content().digest(1))).reason is None


async def test_the_digest_is_of_the_attempt(table):
    await table.add()
    lease = await table.acquire(digest=content().digest(1))
    await table.report(completed=False, fence=lease.fence)

    assert (await table.acquire(digest=content().digest(1))).reason is LeaseReason.MISMATCH
    assert (await table.acquire(digest=content().digest(2))).reason is None


async def test_only_owner_and_fence_of_a_running_task_renew(table):
    await table.add()
    lease = await table.acquire("w1", ttl=5)

    assert (await table.renew("w2")).reason is LeaseReason.SUPERSEDED
    assert (await table.renew("w1", fence=lease.fence + 1)).reason is LeaseReason.SUPERSEDED
    assert (await table.renew("w1", attempt=2)).reason is LeaseReason.SUPERSEDED
    assert (await table.renew("w1", ttl=500, fence=lease.fence)).reason is None
    assert (await table.renew("w1", ttl=500)).reason is None
    await table.later(400)
    assert (await table.acquire("w2")).reason is LeaseReason.HELD


async def test_an_expired_lease_that_nobody_took_can_be_renewed(table):
    await table.add()
    await table.acquire("w1")
    await table.later(61)

    assert (await table.renew("w1")).reason is None
    assert (await table.acquire("w2")).reason is LeaseReason.HELD


async def test_a_lease_that_was_taken_over_cannot_be_renewed(table):
    await table.add()
    first = await table.acquire("w1")
    await table.later(61)
    await table.acquire("w1")  # the same worker, by a redelivery

    assert (await table.renew("w1", fence=first.fence)).reason is LeaseReason.SUPERSEDED


async def test_the_lease_of_a_task_that_ended_or_is_not_there_cannot_be_renewed(table):
    await table.add()
    lease = await table.acquire()
    await table.report(fence=lease.fence)

    assert (await table.renew()).reason is LeaseReason.DONE
    assert (await table.renew(task_id="none")).reason is LeaseReason.UNKNOWN_TASK


async def test_an_attempt_that_is_taken_over_too_often_ends_the_task(table):
    await table.add(max_attempts=9)
    for number in range(1 + MOST_LOST):
        assert (await table.acquire(f"w{number}")).reason is None
        await table.later(61)

    assert (await table.acquire("w9")).reason is LeaseReason.DONE
    row = await table.row()
    assert row["state"] == TaskState.FAILED
    assert "lost the lease" in row["error"]


async def test_a_new_attempt_may_be_taken_over_as_often_again(table):
    await table.add(max_attempts=9)
    for _ in range(MOST_LOST):
        await table.acquire()
        await table.later(61)
    lease = await table.acquire()
    await table.report(completed=False, fence=lease.fence)

    assert (await table.row())["lost_leases"] == 0


async def test_an_abandoned_lease_is_taken_back_after_twice_its_length(table):
    await table.add()
    lease = await table.acquire(ttl=60)
    await table.later(119)
    assert await table.sweep() == 0

    await table.later(2)

    assert await table.sweep() == 1
    assert await table.state() == TaskState.PENDING
    assert [row["attempt"] for row in await table.waiting()] == [1]
    assert (await table.report(fence=lease.fence, attempt=1, owner="w1")).name == "STALE"
    assert (await table.acquire("w2")).fence == lease.fence + 1


async def test_a_task_whose_leases_were_abandoned_too_often_ends(table):
    await table.add(max_attempts=9)
    for _ in range(1 + MOST_LOST):
        await table.acquire()
        await table.later(121)
        assert await table.sweep() == 1

    assert await table.state() == TaskState.FAILED


async def test_of_many_that_ask_at_once_one_gets_the_lease(table):
    names = [f"t{number}" for number in range(20)]
    for name in names:
        await table.add(name)

    for name in names:
        answers = await asyncio.gather(*(table.acquire(f"w{number}", task_id=name) for number in range(25)))
        won = [answer for answer in answers if answer.reason is None]
        assert [answer.fence for answer in won] == [1]
        assert {answer.reason for answer in answers} == {None, LeaseReason.HELD}


async def test_of_many_that_ask_for_an_expired_lease_at_once_one_gets_it(table):
    await table.add()
    await table.acquire()
    await table.later(61)

    answers = await asyncio.gather(*(table.acquire(f"x{number}") for number in range(25)))

    assert [answer.fence for answer in answers if answer.reason is None] == [2]
    assert (await table.row())["lost_leases"] == 1

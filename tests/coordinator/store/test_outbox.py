"""What has to be dispatched, and what has to be dispatched again."""

from __future__ import annotations

import asyncio

from coordinator.core.states import TaskState
from coordinator.store import outbox, tasks


async def claim(table, most=100, claim_ms=30_000):
    return await table.database.run(lambda tx: outbox.claim(tx, most, claim_ms))


async def test_a_task_is_created_once(table):
    assert await table.add()
    assert not await table.add(input_json=b'{"other": 1}')

    assert bytes((await table.row())["input"]) == b'{"code": "return 1"}'
    assert len(await table.waiting()) == 1


async def test_the_longest_waiting_comes_first(table):
    for name in ("a", "b", "c", "d"):
        await table.add(name)

    assert [due.task_id for due in await claim(table, most=3)] == ["a", "b", "c"]
    assert [due.task_id for due in await claim(table)] == ["d"]


async def test_what_is_claimed_is_nobody_else_s_until_the_claim_ends(table):
    await table.add()

    assert len(await claim(table)) == 1
    assert await claim(table) == []
    await table.later(31)
    assert len(await claim(table)) == 1


async def test_many_that_claim_at_once_get_each_row_once(table):
    for number in range(60):
        await table.add(f"t{number}")

    found = await asyncio.gather(*(claim(table, most=10) for _ in range(10)))

    names = [due.task_id for some in found for due in some]
    assert len(names) == len(set(names)) == 60


async def test_what_is_given_back_is_due_again(table):
    await table.add()
    due = await claim(table)
    await table.database.run(lambda tx: outbox.release(tx, due))

    assert len(await claim(table)) == 1


async def test_a_dispatched_task_is_queued_and_knows_its_entry(table):
    await table.add()
    await table.dispatch("5-1")

    row = await table.row()
    assert (row["state"], row["stream"], row["entry_id"]) == (TaskState.QUEUED, "tasks:python:0", "5-1")
    assert await table.waiting() == []


async def test_who_is_quicker_than_the_dispatcher_keeps_his_lease(table):
    await table.add()
    due = await claim(table)
    lease = await table.acquire()
    done = [outbox.Dispatched(due[0], "tasks:python:0", "1-0")]
    await table.database.run(lambda tx: outbox.dispatched(tx, done))

    row = await table.row()
    assert (row["state"], row["fence"]) == (TaskState.RUNNING, lease.fence)
    assert await table.waiting() == []


async def test_a_late_dispatcher_does_not_lose_the_next_attempt(table):
    await table.add()
    due = await claim(table)
    lease = await table.acquire()
    await table.report(completed=False, fence=lease.fence)
    done = [outbox.Dispatched(due[0], "tasks:python:0", "1-0")]
    await table.database.run(lambda tx: outbox.dispatched(tx, done))

    assert await table.state() == TaskState.PENDING
    assert [row["attempt"] for row in await table.waiting()] == [2]


async def test_a_row_of_a_task_that_is_pending_no_more_is_removed(table):
    await table.add()
    await table.acquire()

    assert await claim(table) == []
    assert await table.waiting() == []


async def test_when_the_next_is_due(table):
    assert await table.database.run(outbox.next_due_ms) is None
    await table.add()
    assert await table.database.run(outbox.next_due_ms) <= 0
    await claim(table, claim_ms=20_000)
    assert 15_000 < await table.database.run(outbox.next_due_ms) <= 20_000


async def test_entries_are_looked_after_the_longest_ago_first(table):
    await table.add("a")
    await table.dispatch("1-0")
    await table.later(5)
    await table.add("b")
    await table.dispatch("2-0")
    await table.later(10)

    found = await table.database.run(lambda tx: outbox.entries_to_check(tx, 10_000, 10))

    assert [entry.entry_id for entry in found] == ["1-0", "2-0"]
    await table.database.run(lambda tx: outbox.entries_checked(tx, found, []))
    assert await table.database.run(lambda tx: outbox.entries_to_check(tx, 10_000, 10)) == []


async def test_a_task_whose_entry_is_gone_is_dispatched_again(table):
    await table.add()
    await table.dispatch("1-0")
    found = await table.database.run(lambda tx: outbox.entries_to_check(tx, 0, 10))

    assert await table.database.run(lambda tx: outbox.entries_checked(tx, [], found)) == 1
    assert await table.state() == TaskState.PENDING
    assert len(await table.dispatch("2-0")) == 1
    assert (await table.row())["entry_id"] == "2-0"


async def test_a_task_that_was_leased_meanwhile_is_not(table):
    await table.add()
    await table.dispatch("1-0")
    found = await table.database.run(lambda tx: outbox.entries_to_check(tx, 0, 10))
    await table.acquire()

    assert await table.database.run(lambda tx: outbox.entries_checked(tx, [], found)) == 0
    assert await table.state() == TaskState.RUNNING


async def test_an_entry_in_doubt_is_looked_after_at_once(table):
    await table.add()
    await table.dispatch("1-0")
    assert await table.database.run(lambda tx: outbox.entries_to_check(tx, 60_000, 10)) == []

    await table.acquire(digest=b"\1" * 32)

    assert len(await table.database.run(lambda tx: outbox.entries_to_check(tx, 60_000, 10))) == 1


async def test_tasks_are_listed_in_the_order_they_were_submitted_in(table):
    names = ["c", "a", "d", "b"]
    for name in names:
        await table.add(name)

    keys = await table.database.run(lambda tx: tasks.numbers(tx, "r", ()))
    some = await table.database.run(lambda tx: tasks.numbers(tx, "r", {"b", "a"}))

    async def load(keys, most_bytes=100):
        found, looked_at = await table.database.run(lambda tx: tasks.load(tx, keys, most_bytes))
        return [task.task_id for task in found], looked_at

    assert await load(keys) == (names, 4)
    assert await load(some) == (["a", "b"], 2)
    assert await load([-1, *some]) == (["a", "b"], 3)
    assert await load(keys, most_bytes=0) == (["c"], 1)


async def test_tasks_are_counted(table):
    await table.add("a")
    await table.add("b")
    await table.dispatch()
    await table.add("c", run_id="other")

    assert await table.database.run(lambda tx: tasks.count(tx, "r")) == {TaskState.QUEUED: 2}
    assert await table.database.run(lambda tx: tasks.count(tx, "")) == {TaskState.QUEUED: 2, TaskState.PENDING: 1}


async def test_only_what_ended_long_ago_is_forgotten(table):
    await table.add("old")
    await table.report("old", fence=(await table.acquire(task_id="old")).fence)
    await table.add("running")
    await table.acquire(task_id="running")
    await table.later(100)
    await table.add("new")
    await table.report("new", fence=(await table.acquire(task_id="new")).fence)

    assert await table.database.run(lambda tx: tasks.forget(tx, 50_000, 10)) == 1

    left = await table.database.run(lambda tx: tx.rows("SELECT task_id FROM tasks ORDER BY task_id"))
    assert [row["task_id"] for row in left] == ["new", "running"]

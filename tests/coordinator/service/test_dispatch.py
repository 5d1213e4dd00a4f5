"""From the table to the streams, whatever becomes of the streams."""

from __future__ import annotations

import asyncio
import logging

import pytest

from coordinator import dispatcher
from coordinator.pb import coordinator_pb2 as pb
from tests.coordinator.servers import RedisServer
from tests.coordinator.service.conftest import digest_of, eventually


async def sweeps(caller, times: int = 3) -> None:
    """Waits until all QUEUED tasks were looked after so often."""
    for _ in range(times):
        before = max(row["checked_at"] for row in await rows(caller))

        async def looked(since=before) -> bool:
            return all(row["checked_at"] > since for row in await rows(caller) if row["state"] == 2)

        await eventually(looked, "entries are looked after")


async def rows(caller) -> list[dict]:
    return await caller.table.database.run(lambda tx: tx.rows("SELECT * FROM tasks"))


async def test_an_entry_has_the_exact_text_of_the_input(caller):
    text = b'{ "code" : "return 1.10",  "n": 12345678901234567890123 }'
    await caller.submit("t", input=text, node_type="node", workflow_id="w", workflow_version="3")

    ((entry_id, entry),) = await eventually(lambda: caller.entries("js"), "an entry is in the stream")

    assert entry == {
        "task_id": "t",
        "run_id": "r",
        "node_id": "t",
        "node_type": "node",
        "workflow_id": "w",
        "workflow_version": "3",
        "attempt": "1",
        "input": text.decode(),
    }
    await caller.in_state("QUEUED")
    assert (await caller.table.row())["entry_id"] == entry_id


async def test_queues_are_named_by_the_task(caller):
    await caller.submit("a", queue="python:eu-west")
    await caller.submit("b", node_type="http")

    assert await eventually(lambda: caller.entries("python:eu-west"), "a is dispatched")
    assert await eventually(lambda: caller.entries("http"), "b is dispatched")


async def test_shards_share_the_tasks(start):
    caller = await start(stream_shards=3)
    await caller.submit(*map(str, range(40)))

    async def all_there() -> list[int] | None:
        found = [await caller.redis.xlen(f"{caller.prefix}:python:{shard}") for shard in range(3)]
        return found if sum(found) == 40 else None

    assert all(await eventually(all_there, "all are dispatched"))


async def test_a_commit_wakes_the_dispatcher(start, monkeypatch):
    monkeypatch.setattr(dispatcher, "_LONGEST_WAIT_SECONDS", 3_600.0)
    caller = await start()

    for number in range(5):
        await caller.submit(f"t{number}")
        await caller.in_state("QUEUED", f"t{number}")


async def test_a_retry_comes_when_its_delay_is_over(start, monkeypatch):
    monkeypatch.setattr(dispatcher, "_LONGEST_WAIT_SECONDS", 3_600.0)
    caller = await start()
    await caller.submit("t", max_attempts=2)
    await caller.in_state("QUEUED")
    lease = await caller.acquire()
    await caller.report(status="failed", fence=lease.fence, error="USER_ERROR: no")

    task = await caller.in_state("QUEUED")

    assert task.attempt == 2
    newest = (await caller.entries())[-1][1]
    assert newest["attempt"] == "2"
    assert (await caller.acquire(attempt=2, task_digest=digest_of(newest))).acquired


async def test_redis_need_not_be_up_first(start, tmp_path, caplog):
    redis = RedisServer(tmp_path)
    caller = await start(redis)
    with caplog.at_level(logging.WARNING, "coordinator"):
        await caller.submit("a", "b")
        await eventually(lambda: asyncio.sleep(0, "not dispatched" in caplog.text), "it says so")
    try:
        redis.start()
        await caller.in_state("QUEUED", "a")
        await caller.in_state("QUEUED", "b")
        redis.kill()
        await caller.submit("c")
        redis.start()
        await caller.in_state("QUEUED", "c")
    finally:
        redis.kill()


async def test_what_redis_forgot_is_dispatched_again(start, tmp_path):
    redis = RedisServer(tmp_path)
    redis.start()
    try:
        caller = await start(redis)
        await caller.submit(*map(str, range(50)))
        for number in range(50):
            await caller.in_state("QUEUED", str(number))
        redis.kill()
        redis.start()

        async def all_there() -> bool:
            return len({entry["task_id"] for _, entry in await caller.entries()}) == 50

        await eventually(all_there, "all are dispatched again")
    finally:
        redis.kill()


async def test_an_entry_that_is_there_is_not_dispatched_again(caller):
    await caller.submit("a", "b")
    for task_id in ("a", "b"):
        await caller.in_state("QUEUED", task_id)

    await sweeps(caller)

    assert len(await caller.entries()) == 2


async def test_an_entry_that_is_gone_is_dispatched_again(caller):
    await caller.submit("t", "other")
    for task_id in ("t", "other"):
        await caller.in_state("QUEUED", task_id)
    await caller.redis.xdel(caller.stream(), (await caller.table.row())["entry_id"])

    async def there() -> bool:
        return len(await caller.entries()) == 2

    await eventually(there, "the task is dispatched again")
    await sweeps(caller)
    assert sorted(entry["task_id"] for _, entry in await caller.entries()) == ["other", "t"]


async def test_an_entry_that_nobody_gets_any_more_is_dispatched_again_in_its_place(caller):
    """Acked without a lease, or delivered to a consumer that somebody removed."""
    await caller.submit("acked", "removed", "read")
    for task_id in ("acked", "removed", "read"):
        await caller.in_state("QUEUED", task_id)
    stream = caller.stream()
    await caller.redis.xgroup_create(stream, "workers", id="0")
    for consumer in ("evil", "gone", "well"):
        await caller.redis.xreadgroup("workers", consumer, {stream: ">"}, count=1)
    before = [entry_id for entry_id, _ in await caller.entries()]
    await caller.redis.xack(stream, "workers", before[0])
    await caller.redis.xgroup_delconsumer(stream, "workers", "gone")

    async def again() -> bool:
        return {entry_id for entry_id, _ in await caller.entries()}.isdisjoint(before[:2])

    await eventually(again, "both are dispatched again, and the old entries go")
    await sweeps(caller)
    found = await caller.entries()
    assert sorted(entry["task_id"] for _, entry in found) == ["acked", "read", "removed"]
    assert before[2] in [entry_id for entry_id, _ in found]


async def test_an_abandoned_lease_is_dispatched_again(caller):
    await caller.submit("t")
    await caller.in_state("QUEUED")
    lease = await caller.acquire()
    await caller.redis.delete(caller.stream())
    await caller.table.later(121)

    await eventually(caller.entries, "the task is dispatched again")
    answer = await caller.report(fence=lease.fence)
    assert (answer.acknowledged, answer.accepted) == (True, False)


async def test_a_key_that_is_no_stream_holds_up_its_own_queue_only(caller):
    await caller.redis.set(caller.stream("bad"), "x")
    await caller.submit(*(f"bad{number}" for number in range(40)), queue="bad")
    await caller.submit("t")

    await caller.in_state("QUEUED")
    assert (await caller.task("bad0")).state == pb.TASK_STATE_PENDING


async def test_a_stream_without_further_ids_holds_up_its_own_queue_only(caller, caplog):
    caplog.set_level(logging.ERROR)
    highest = (1 << 64) - 1
    await caller.redis.xadd(caller.stream(), {"a": "b"}, id=f"{highest}-{highest}")
    await caller.submit(*(f"t{number}" for number in range(100)))
    await caller.submit("other", node_type="js")

    await caller.in_state("QUEUED", "other")
    assert (await caller.task("t99")).state == pb.TASK_STATE_PENDING
    assert [record.message.count(caller.stream()) for record in caplog.records] == [1]  # and not one for each task
    await caller.redis.delete(caller.stream())
    await caller.in_state("QUEUED", "t99")


@pytest.mark.parametrize("real_entry", ["there", "removed"])
async def test_a_flood_of_forged_entries_changes_nothing_and_floods_nothing(caller, caplog, real_entry):
    await caller.submit("t")
    await caller.in_state("QUEUED")
    ((entry_id, entry),) = await caller.entries()
    if real_entry == "removed":
        await caller.redis.xdel(caller.stream(), entry_id)
    forged = {**entry, "input": '{"code": "steal()"}'}

    with caplog.at_level(logging.WARNING, "coordinator"):
        for number in range(300):
            answer = await caller.acquire(owner=f"w{number}", attempt=1, task_digest=digest_of(forged))
            assert (answer.acquired, answer.reason) == (False, pb.LEASE_REASON_MISMATCH)

    alarms = [record for record in caplog.records if record.name == "coordinator.audit"]
    assert 20 <= len(alarms) <= 150, "twenty in ten seconds"
    await eventually(caller.entries, "an entry is there")
    await sweeps(caller)
    entries = await caller.entries()
    assert len(entries) == 1
    assert (await caller.acquire(attempt=1, task_digest=digest_of(entries[0][1]))).acquired


async def test_forged_entries_end_no_task(caller):
    """Other attempts, other content, an id that is not there: no lease, and without one no report counts."""
    await caller.submit("t")
    before = await caller.in_state("QUEUED")
    for asked in ({"attempt": 7}, {"attempt": 1, "task_digest": b"\1" * 32}, {"task_digest": b"\2" * 32}):
        assert not (await caller.acquire(owner="thief", **asked)).acquired
    assert (await caller.acquire("none", owner="thief")).reason == pb.LEASE_REASON_UNKNOWN_TASK
    for attempt in (1, 7):
        answer = await caller.report(status="failed", owner="thief", attempt=attempt, terminal=True)
        assert not answer.accepted

    assert await caller.task() == before

"""The rules that a worker of an engine keeps, one test each, against a real Redis."""

from __future__ import annotations

import asyncio
import itertools
import re

import pytest
from grpc.aio import ServicerContext
from redis.asyncio import Redis

from coordinator.pb import coordinator_pb2 as pb
from tests.bridge.bridges import HeldExecutor, Starter
from tests.bridge.coordinator import TableCoordinator, failing
from tests.bridge.tasks import a_task, fields
from tests.bridge.waiting import until
from worker_bridge.core.outcome import Outcome
from worker_bridge.streams.redis import RedisConsumer

STREAM = "tasks:python:0"


async def add(redis: Redis, coordinator: TableCoordinator, **different: object) -> str:
    """A task, and its entry; the task's id."""
    task = a_task(**different)
    coordinator.add(task)
    await redis.xadd(STREAM, fields(task))
    return task.task_id


async def pending(redis: Redis) -> list[dict]:
    return await redis.xpending_range(STREAM, "workers", "-", "+", 100)


async def gone(redis: Redis) -> bool:
    """Neither in the stream nor pending: XACK alone would leave it in the stream."""
    return await redis.xlen(STREAM) == 0 and not await pending(redis)


async def test_a_normal_exit_reports_then_acks(redis: Redis, coordinator: TableCoordinator, bridges: Starter) -> None:
    executor = HeldExecutor()
    bridge = await bridges(executor)
    task_id = await add(redis, coordinator)
    await until(lambda: executor.started)
    assert await pending(redis)
    executor.go()
    await until(lambda: coordinator.state(task_id) == "COMPLETED")
    await until(lambda: gone(redis))
    (report,) = coordinator.reports
    assert (report.status, report.output, report.attempt, report.owner) == (
        "completed", b"1", 1, bridge.bridge.worker_id,
    )  # fmt: skip


async def test_a_failure_is_reported_then_acked(redis: Redis, coordinator: TableCoordinator, bridges: Starter) -> None:
    await bridges(HeldExecutor(free=True, outcome=Outcome.failed("USER_ERROR", "no", terminal=False)))
    task_id = await add(redis, coordinator)
    await until(lambda: coordinator.state(task_id) == "FAILED")
    await until(lambda: gone(redis))
    assert coordinator.reports[0].error == "USER_ERROR: no"


async def test_a_lost_lease_discards_the_result_and_acks(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    executor = HeldExecutor()
    await bridges(executor)
    await add(redis, coordinator)
    await until(lambda: executor.started)
    coordinator.renew = False
    await until(lambda: executor.cancelled)
    await until(lambda: gone(redis))
    assert not coordinator.reports


async def test_a_lost_lease_leaves_an_entry_that_another_worker_has(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter, consumer: RedisConsumer
) -> None:
    executor = HeldExecutor()
    await bridges(executor, lease_ttl_seconds=9)
    await add(redis, coordinator)
    await until(lambda: executor.started)
    (claimed,) = (await consumer.claim(STREAM, 0, 9, "")).entries
    coordinator.renew = False
    await until(lambda: executor.cancelled)
    await asyncio.sleep(0.2)
    assert [row["consumer"] for row in await pending(redis)] == [b"another"]
    assert await redis.xlen(STREAM) == 1
    assert claimed.deliveries == 2


async def test_a_stopping_worker_neither_reports_nor_acks_what_it_cuts_off(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    executor = HeldExecutor()
    bridge = await bridges(executor, worker_drain_seconds=0)
    await add(redis, coordinator)
    await until(lambda: executor.started)
    await bridge.stop()
    assert executor.cancelled
    assert not coordinator.reports
    assert len(await pending(redis)) == 1


async def test_an_entry_is_acked_only_after_the_report_was_acknowledged(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    coordinator.acknowledge = False
    await bridges(HeldExecutor(free=True))
    task_id = await add(redis, coordinator)
    await until(lambda: coordinator.reports)
    assert len(await pending(redis)) == 1
    coordinator.acknowledge = True
    # It comes back: not acknowledged is an error, whose entry is reclaimed and whose lease runs out.
    await until(lambda: coordinator.state(task_id) == "COMPLETED", 60)
    await until(lambda: gone(redis))


@pytest.mark.parametrize("ttl", [6, 9])
async def test_a_lease_is_renewed_every_third_of_its_ttl(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter, ttl: int
) -> None:
    executor = HeldExecutor()
    await bridges(executor, lease_ttl_seconds=ttl)
    await add(redis, coordinator)
    await until(lambda: len(coordinator.renewals) >= 4)
    moments = [moment for moment, _ in coordinator.renewals]
    gaps = [later - earlier for earlier, later in itertools.pairwise(moments)]
    assert min(gaps) > ttl / 3 * 0.7  # never sooner; later is a matter of the machine's load
    assert {request.fence for _, request in coordinator.renewals} == {1}
    assert not executor.cancelled


async def test_an_entry_of_a_dead_worker_is_reclaimed_after_its_ttl(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter, consumer: RedisConsumer
) -> None:
    await consumer.read(STREAM, 1)  # makes the group
    task_id = await add(redis, coordinator)
    assert len(await consumer.read(STREAM, 1)) == 1
    executor = HeldExecutor(free=True)
    bridge = await bridges(executor, lease_ttl_seconds=2)
    assert not executor.started
    await until(lambda: coordinator.state(task_id) == "COMPLETED")
    assert coordinator.reports[0].owner == bridge.bridge.worker_id
    await until(lambda: gone(redis))


async def test_a_running_entry_is_touched_so_that_nobody_reclaims_it(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    executor, other = HeldExecutor(), HeldExecutor()
    await bridges(executor, lease_ttl_seconds=6)
    await add(redis, coordinator)
    await until(lambda: executor.started)
    await bridges(other, lease_ttl_seconds=6)
    renewed = len(coordinator.renewals)
    await until(lambda: len(coordinator.renewals) > renewed + 5)  # nearly two TTLs, four looks of the other
    assert [row["times_delivered"] for row in await pending(redis)] == [1]
    assert not other.started


async def test_what_is_delivered_too_often_is_reported_as_failed_and_parked(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter, consumer: RedisConsumer
) -> None:
    await consumer.read(STREAM, 1)
    task_id = await add(redis, coordinator)
    await consumer.read(STREAM, 1)
    for _ in range(2):
        await consumer.claim(STREAM, 0, 1, "")
    executor = HeldExecutor(free=True)
    await bridges(executor, lease_ttl_seconds=1, worker_max_deliveries=3)
    await until(lambda: coordinator.state(task_id) == "FAILED")
    await until(lambda: gone(redis))
    assert not executor.started
    assert coordinator.reports[0].terminal
    ((_, parked),) = await redis.xrange(f"{STREAM}:dead")
    assert parked[b"task_id"] == task_id.encode()
    assert parked[b"origin"].startswith(f"{STREAM} ".encode())
    assert re.match(rb"delivered [4-9] times, the limit is 3", parked[b"reason"])


async def test_what_is_delivered_too_often_while_its_lease_is_held_is_left(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter, consumer: RedisConsumer
) -> None:
    await consumer.read(STREAM, 1)
    task_id = await add(redis, coordinator)
    await consumer.read(STREAM, 1)
    for _ in range(2):
        await consumer.claim(STREAM, 0, 1, "")
    row = coordinator.rows[task_id]
    row.state, row.owner, row.expires = "RUNNING", "another", float("inf")
    await bridges(HeldExecutor(free=True), lease_ttl_seconds=1, worker_max_deliveries=3)
    await until(lambda: len(coordinator.acquires) >= 2)
    assert not coordinator.reports
    assert len(await pending(redis)) == 1
    assert not await redis.exists(f"{STREAM}:dead")


async def test_a_message_redelivered_to_the_worker_that_already_runs_it_starts_nothing(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    executor = HeldExecutor()
    bridge = await bridges(executor)
    task_id = await add(redis, coordinator)
    await until(lambda: executor.started)
    (row,) = await pending(redis)

    async def redelivered() -> bool:
        """As if it had not been touched, until the bridge itself has claimed it."""
        await redis.xclaim(STREAM, "workers", bridge.bridge.worker_id, 0, [row["message_id"]], idle=10_000, justid=True)
        return (await pending(redis))[0]["times_delivered"] > 1

    await until(redelivered)
    renewed = len(coordinator.renewals)
    await until(lambda: len(coordinator.renewals) > renewed + 2)
    assert len(coordinator.acquires) == 1
    assert [one["consumer"].decode() for one in await pending(redis)] == [bridge.bridge.worker_id]
    # And the same message once more, as another entry.
    await redis.xadd(STREAM, fields(coordinator.rows[task_id].task))
    await until(lambda: len(coordinator.acquires) >= 2)
    assert len(executor.started) == 1
    executor.go()
    await until(lambda: coordinator.state(task_id) == "COMPLETED")
    await until(lambda: gone(redis))
    assert len(coordinator.rows[task_id].accepted) == 1


@pytest.mark.parametrize(
    ("reason", "kept", "parked"),
    [
        (pb.LEASE_REASON_UNSPECIFIED, 0, 0),
        (pb.LEASE_REASON_DONE, 0, 0),
        (pb.LEASE_REASON_SUPERSEDED, 0, 0),
        (pb.LEASE_REASON_HELD, 1, 0),
        (pb.LEASE_REASON_UNKNOWN_TASK, 0, 1),
        (pb.LEASE_REASON_MISMATCH, 0, 1),
        (99, 1, 0),
    ],
)
async def test_what_is_not_leased_goes_where_its_reason_says(
    redis: Redis,
    coordinator: TableCoordinator,
    bridges: Starter,
    monkeypatch: pytest.MonkeyPatch,
    reason: int,
    kept: int,
    parked: int,
) -> None:
    monkeypatch.setattr(coordinator, "_refusal", lambda row, request: reason)
    executor = HeldExecutor()
    bridge = await bridges(executor, lease_ttl_seconds=60)
    await add(redis, coordinator)
    await until(lambda: coordinator.acquires)
    await until(lambda: bridge.bridge._hand.in_hand == 0)
    assert await redis.xlen(STREAM) == kept
    assert await redis.xlen(f"{STREAM}:dead") == parked
    assert [row["consumer"] for row in await pending(redis)] == [b"parked"] * kept
    assert not executor.started


async def test_an_entry_at_which_the_coordinator_fails_keeps_no_slot(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    coordinator.trouble = failing
    bridge = await bridges(HeldExecutor(), lease_ttl_seconds=1)
    await add(redis, coordinator)
    await until(lambda: len(coordinator.acquires) > 1)
    await until(lambda: bridge.bridge._hand.in_hand == 0)
    assert len(await pending(redis)) == 1


async def test_a_result_at_which_the_coordinator_fails_does_not_circle_for_ever(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    async def chokes(context: ServicerContext) -> None:
        if coordinator.reports[-1].output:
            await failing(context)

    coordinator.report_trouble = chokes
    await bridges(HeldExecutor(free=True), lease_ttl_seconds=1, worker_max_deliveries=2)
    task_id = await add(redis, coordinator)
    await until(lambda: coordinator.state(task_id) == "FAILED", 60)
    await until(lambda: gone(redis))
    assert coordinator.reports[-1].terminal
    assert coordinator.reports[-1].error.startswith("DELIVERED_TOO_OFTEN")


async def test_an_entry_that_cannot_be_read_is_parked_with_its_reason(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter
) -> None:
    await bridges(HeldExecutor())
    number = await redis.xadd(STREAM, {"task_id": "x", "node_type": "python"})
    await until(lambda: redis.exists(f"{STREAM}:dead"))
    ((_, parked),) = await redis.xrange(f"{STREAM}:dead")
    assert parked == {
        b"task_id": b"x",
        b"node_type": b"python",
        b"origin": f"{STREAM} {number.decode()}".encode(),
        b"reason": b"run_id is missing",
        b"deliveries": b"1",
    }
    assert await gone(redis)
    assert not coordinator.acquires


async def test_a_coordinator_of_the_plain_rules_is_enough(redis: Redis, bridges: Starter) -> None:
    plain = TableCoordinator(plain=True)
    await plain.start()
    try:
        await bridges(HeldExecutor(free=True), coordinator=plain.address)
        task_id = await add(redis, plain)
        await until(lambda: plain.state(task_id) == "COMPLETED")
        await until(lambda: gone(redis))
        await redis.xadd(STREAM, fields(plain.rows[task_id].task))  # stale: dropped
        await until(lambda: len(plain.acquires) == 2)
        await until(lambda: gone(redis))
    finally:
        await plain.stop()

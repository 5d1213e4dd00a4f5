"""What callers are told when something is wrong with the coordinator, and what it does afterwards."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from coordinator import dispatcher
from coordinator.core.states import TaskState
from coordinator.errors import StoreUnavailable
from coordinator.metrics import Metrics
from coordinator.pb import coordinator_pb2 as pb
from coordinator.service import leases
from coordinator.store import outbox, tasks
from coordinator.sweeper import Sweeper, SweepPlan
from tests.coordinator.service.conftest import eventually


async def test_a_database_that_is_away_is_unavailable(caller):
    await caller.submit("t")
    await caller.coordinator._database.close()

    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await caller.acquire()
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await caller.task()
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert refused.value.details() == "the coordinator's database is away or full: its log says why"


async def test_sweeps_that_are_put_off_are_one_line_for_each_reason(caplog):
    reasons = ["away"] * 5 + ["another password"] * 5
    done = asyncio.Event()

    class Away:
        async def run(self, _: object) -> None:
            if not reasons:
                done.set()
                raise StoreUnavailable("another password")
            raise StoreUnavailable(reasons.pop(0))

    plan = SweepPlan(0, 0, 5)
    sweeping = asyncio.create_task(Sweeper(Away(), None, plan, lambda: None, Metrics()).run())
    async with asyncio.timeout(60):
        await done.wait()
    sweeping.cancel()
    put_off = [record.getMessage() for record in caplog.records if record.name == "coordinator.sweeper"]
    assert put_off == ["sweeps are put off: away", "sweeps are put off: another password"]


async def test_streams_that_are_away_are_unavailable(start, tmp_path):
    from tests.coordinator.servers import RedisServer

    caller = await start(RedisServer(tmp_path))

    with pytest.raises(grpc.aio.AioRpcError, match="Redis at ") as refused:
        await caller.tasks.ListDeadLetters(pb.ListDeadLettersRequest())
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_fault_of_ours_is_logged_and_not_told(caller, monkeypatch, caplog):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("our secret")

    monkeypatch.setattr(leases, "acquire", broken)

    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await caller.acquire()

    assert refused.value.code() is grpc.StatusCode.INTERNAL
    assert "secret" not in refused.value.details()
    assert "our secret" in caplog.text


async def test_a_loop_that_fails_goes_on(start, monkeypatch, caplog):
    real, failures = outbox.claim, []

    def broken(*arguments: object) -> object:
        if not failures:
            failures.append(1)
            raise ZeroDivisionError
        return real(*arguments)

    monkeypatch.setattr(dispatcher.outbox, "claim", broken)
    caller = await start()
    await caller.submit("t")

    await caller.in_state("QUEUED")
    assert "Dispatcher.run failed, and goes on" in caplog.text


async def test_a_full_disk_refuses_what_needs_room_and_nothing_is_half_done(caller, caplog):
    await caller.submit("t")
    await caller.in_state("QUEUED")
    database = caller.coordinator._database
    (row,) = await database.run(lambda tx: tx.rows("PRAGMA page_count"))
    await database.run(lambda tx: tx.rows(f"PRAGMA max_page_count = {row['page_count'] + 2}"))

    for _ in range(3):
        with pytest.raises(grpc.aio.AioRpcError, match="away or full: its log says why") as refused:
            await caller.submit("a", "b", input=b'"' + b"x" * 200_000 + b'"')
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    (said,) = [record.getMessage() for record in caplog.records if record.name == "coordinator.endpoint"]
    assert said.startswith("calls are answered UNAVAILABLE: ")
    assert "full" in said
    assert await database.run(lambda tx: tasks.count(tx, "")) == {TaskState.QUEUED: 1}

    await database.run(lambda tx: tx.rows("PRAGMA max_page_count = 1000000"))
    await caller.submit("a", "b", input=b'"' + b"x" * 200_000 + b'"')
    await eventually(lambda: caller.in_state("QUEUED", "b"), "it goes on")


async def test_a_caller_that_went_away_does_not_stop_the_others(caller):
    with pytest.raises(grpc.aio.AioRpcError):
        await caller.workflow.AcquireTaskLease(pb.AcquireTaskLeaseRequest(), timeout=0)
    await caller.submit("t")

    assert (await caller.acquire()).acquired

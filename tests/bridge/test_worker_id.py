"""A WORKER_ID is in use once."""

from __future__ import annotations

import time

import pytest
from redis.asyncio import Redis

from tests.bridge.bridges import HeldExecutor, Starter
from tests.bridge.waiting import until
from worker_bridge.errors import StartError


async def test_a_second_live_one_refuses_to_start_and_says_so(bridges: Starter) -> None:
    first = await bridges(HeldExecutor(), worker_id="same")
    with pytest.raises(StartError, match="WORKER_ID same is in use"):
        await bridges(HeldExecutor(), worker_id="same")
    assert not first.over.done()


async def test_one_that_was_killed_is_waited_out(redis: Redis, bridges: Starter) -> None:
    await redis.set("tasks:worker:same", "a nonce of a worker that is no more", px=2_000)
    started = time.monotonic()
    await bridges(HeldExecutor(), worker_id="same")
    assert time.monotonic() - started > 1


async def test_one_that_has_left_need_not_be_waited_for(redis: Redis, bridges: Starter) -> None:
    await (await bridges(HeldExecutor(), worker_id="same")).stop()
    assert not await redis.exists("tasks:worker:same")


async def test_one_that_lost_its_name_stops(redis: Redis, bridges: Starter) -> None:
    first = await bridges(HeldExecutor(), worker_id="same")
    await redis.set("tasks:worker:same", "another's", px=60_000)  # as after a pause longer than its registration
    await until(first.over.done)
    with pytest.raises(StartError, match="another worker runs as WORKER_ID same"):
        first.over.result()
    assert await redis.get("tasks:worker:same") == b"another's"


async def test_a_redis_that_forgot_everything_is_told_again(redis: Redis, bridges: Starter) -> None:
    first = await bridges(HeldExecutor(), worker_id="same")
    await redis.flushall()
    await until(lambda: redis.exists("tasks:worker:same"))
    assert not first.over.done()

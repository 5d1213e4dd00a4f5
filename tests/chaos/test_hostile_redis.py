"""Whoever has every right to Redis can cost time: each task ends as it must all the same, accepted once."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from tests.chaos.hostile import Hostile
from tests.chaos.processes import GUARD_SECONDS
from tests.chaos.tasks import planned
from tests.chaos.test_chaos import check_outcomes, drained, emptied, ended
from tests.chaos.world import World, world

SEED = 11
TASKS = 120


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_every_task_ends_once_whatever_is_done_to_the_streams(tmp_path: Path) -> None:
    async with world(tmp_path, f"sqlite:///{tmp_path}/coordinator.db", SEED) as parts, parts.redis() as client:
        plan = [planned(number, parts.payments.url) for number in range(1, TASKS + 1)]
        parts.witness.calm = parts.lossy.calm = True
        await parts.submit(plan[:20], "run-1")
        hostile = Hostile(client, await parts.workers(), SEED)
        at_it = asyncio.create_task(hostile.run(5))
        for number in range(20, TASKS - 20, 20):
            await asyncio.sleep(1)
            await parts.submit(plan[number : number + 20], "run-1")
        await at_it
        await asyncio.gather(hostile.strands(), parts.submit(plan[TASKS - 20 :], "run-1"))
        states = await ended(parts, TASKS)
        await client.xadd("tasks:python:0", {"task_id": "x", "input": b"\xff{"})
        await emptied(parts)
        await freed(parts)
        await drained(parts)
        check_outcomes(parts, plan, states)
        assert {"acks", "removes_a_consumer", "blocks_the_dead", "deletes_the_group", "forges"} <= hostile.done


async def freed(parts: World) -> None:
    """Waits until each bridge has all its slots: none was lost."""
    since = time.monotonic()
    while (in_hand := await parts.in_hand()) != [0, 0]:
        assert time.monotonic() - since < GUARD_SECONDS, in_hand
        await asyncio.sleep(0.1)

"""Everything is killed in turn and replies are lost while tasks run: each task ends as it must, accepted once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chaos.tasks import Planned, planned
from tests.chaos.world import World, victims, world

RUN = "run-1"
STUCK_SECONDS = 180.0  # nothing at all ends for so long: it hangs
SEED = 20_261


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path, make_database: Callable[[], str]) -> str:
    return f"sqlite:///{tmp_path}/coordinator.db" if request.param == "sqlite" else make_database()


@pytest.mark.parametrize(
    ("database_url", "tasks", "rounds"),
    [
        pytest.param("sqlite", 160, 1, marks=pytest.mark.timeout(600)),
        pytest.param("sqlite", 2000, 8, marks=[pytest.mark.slow, pytest.mark.timeout(1800)]),
        pytest.param("postgresql", 400, 2, marks=[pytest.mark.slow, pytest.mark.timeout(1800)]),
    ],
    indirect=["database_url"],
)
async def test_every_task_ends_once_whatever_dies(tmp_path: Path, database_url: str, tasks: int, rounds: int) -> None:
    order = victims(SEED, rounds)
    share = -(-tasks // len(order))
    async with world(tmp_path, database_url, SEED) as parts:
        plan = [planned(number, parts.payments.url) for number in range(1, tasks + 1)]
        await poison(parts)
        for number, victim in enumerate(order):
            if some := plan[number * share : (number + 1) * share]:
                await parts.submit(some, RUN)
            await asyncio.sleep(1)
            await parts.end(victim)
        parts.witness.calm = parts.lossy.calm = parts.payments.calm = (
            True  # what was lost must come right without more of it
        )
        states = await ended(parts, tasks)
        await emptied(parts)
        await drained(parts)
        check(parts, plan, states)


async def poison(parts: World) -> None:
    """An entry that is no task: it is parked, and in nobody's way."""
    async with parts.redis() as client:
        await client.xadd("tasks:python:0", {"task_id": "x", "input": b"\xff{"})


async def ended(parts: World, tasks: int) -> list[dict[str, object]]:
    """Waits until every task ended; what each came to."""
    seen, since = 0, time.monotonic()
    while True:
        states = await parts.status(RUN)
        done = sum(state["state"] in ("COMPLETED", "FAILED") for state in states)
        if done == tasks:
            return states
        if done > seen:
            seen, since = done, time.monotonic()
        assert time.monotonic() - since < STUCK_SECONDS, f"{done} of {tasks} ended; {logs(parts)}"
        await asyncio.sleep(0.5)


async def emptied(parts: World) -> None:
    """Waits until no stream holds an entry: duplicates of finished tasks are dropped when their time comes."""
    since = time.monotonic()
    while left := await parts.left_in_streams():
        assert time.monotonic() - since < STUCK_SECONDS, f"{left} are left; {logs(parts)}"
        await asyncio.sleep(0.5)
    async with parts.redis() as client:
        for key in await client.keys("tasks:*"):
            if await client.type(key) == "stream" and not key.endswith(":dead"):
                for group in await client.xinfo_groups(key):
                    assert group["pending"] == 0, group
        assert await client.xlen("tasks:python:0:dead") >= 1


async def drained(parts: World) -> None:
    """SIGTERM ends each bridge well."""
    for name in ("bridge-0", "bridge-1"):
        assert await parts.parts[name].stop() == 0, parts.parts[name].words


def check(parts: World, plan: list[Planned], states: list[dict[str, object]]) -> None:
    check_outcomes(parts, plan, states)
    # What the run is about did happen.
    assert set(parts.killed) == {*victims(0, 1)}
    assert parts.witness.lost > 0
    assert parts.lossy.lost > 0
    assert sum(parts.payments.requests.values()) > len(parts.payments.charged)


def check_outcomes(parts: World, plan: list[Planned], states: list[dict[str, object]]) -> None:
    """Each task ended as it must, and each attempt was accepted once, under the lease that counted."""
    found = {str(state["task_id"]): state for state in states}
    assert found.keys() == {task.task_id for task in plan}
    wrong = [
        found[task.task_id]
        for task in plan
        if found[task.task_id]["state"] != task.state
        or found[task.task_id]["output"] != task.value
        or not str(found[task.task_id]["error"] or "").startswith(task.error)
    ]
    assert wrong == []
    assert [key for key, times in parts.witness.accepted.items() if times > 1] == []
    assert parts.witness.accepted_of_lost_leases == []
    assert parts.witness.fences_that_did_not_grow == []
    paid = {
        task.task_id: [int(task.task_id.removeprefix("task-"))]
        for task in plan
        if task.value and task.node_type == "http"
    }
    assert parts.payments.charged == paid


def logs(parts: World) -> str:
    return "\n".join(f"--- {part.name}\n{part.words}" for part in parts.parts.values())

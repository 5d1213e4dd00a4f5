"""The queue in front of the slots, with callers who come, wait and leave at awkward moments."""

from __future__ import annotations

import asyncio

import pytest

from langserver.core.fairness import Whose
from langserver.server.gate import Draining, Expired, Full, Gate

ANN, BOB = Whose("ann"), Whose("bob")


def now():
    return asyncio.get_running_loop().time()


async def queued(gate, deadline=None, whose=ANN):
    """A caller who waits in the queue."""
    waiting = gate.waiting
    task = asyncio.create_task(gate.enter(whose, deadline))
    await asyncio.sleep(0)
    assert gate.waiting == waiting + 1
    return task


async def test_callers_enter_in_order():
    gate = Gate(1, 2)
    here = await gate.enter(ANN, None)
    first, second = await queued(gate), await queued(gate)
    gate.leave(here)
    here = await first
    assert not second.done()
    gate.leave(here)
    await second
    assert gate.running == 1


async def test_full_says_when_to_come_back():
    gate = Gate(1, 0)
    await gate.enter(ANN, None)
    with pytest.raises(Full) as full:
        await gate.enter(ANN, None)
    assert 0 < full.value.retry_seconds <= 10


async def test_a_full_queue_makes_room_for_who_has_less_of_it():
    gate = Gate(1, 2)
    here = await gate.enter(ANN, None)
    old, new = await queued(gate), await queued(gate)
    bobs = asyncio.create_task(gate.enter(BOB, None))
    with pytest.raises(Full) as full:
        await new
    assert 0 < full.value.retry_seconds <= 10
    with pytest.raises(Full):
        await gate.enter(ANN, None)
    gate.leave(here)
    here = await bobs  # before ann's, who came first: she has had a slot
    assert not old.done()
    gate.leave(here)
    await old


async def test_who_has_to_make_room_and_is_cancelled_in_one_turn():
    gate = Gate(1, 2)
    here = await gate.enter(ANN, None)
    old, new = await queued(gate), await queued(gate)
    bobs = asyncio.create_task(gate.enter(BOB, None))
    await asyncio.sleep(0)
    new.cancel()
    await asyncio.wait([new])
    assert (gate.running, gate.waiting) == (1, 2)
    for next_one in (bobs, old):
        gate.leave(here)
        here = await next_one
    gate.leave(here)
    assert (gate.running, gate.waiting) == (0, 0)


async def test_a_deadline_that_has_passed_is_not_admitted():
    gate = Gate(1, 1)
    with pytest.raises(Expired):
        await gate.enter(ANN, now())
    assert gate.running == 0


async def test_a_deadline_that_passes_in_the_queue():
    gate = Gate(1, 2)
    here = await gate.enter(ANN, None)
    late = await queued(gate, now() + 0.01)
    patient = await queued(gate)
    await asyncio.sleep(0.02)
    gate.leave(here)
    with pytest.raises(Expired):
        await late
    await patient
    assert (gate.running, gate.waiting) == (1, 0)


async def test_who_is_cancelled_in_the_queue_leaves_it():
    gate = Gate(1, 1)
    await gate.enter(ANN, None)
    caller = await queued(gate)
    caller.cancel()
    await asyncio.wait([caller])
    assert caller.cancelled()
    assert (gate.running, gate.waiting) == (1, 0)


@pytest.mark.parametrize("called_first", [True, False])
async def test_cancelled_in_the_turn_in_which_the_slot_came(called_first):
    gate = Gate(1, 2)
    here = await gate.enter(ANN, None)
    caller, next_one = await queued(gate), await queued(gate)
    if called_first:
        gate.leave(here)
        caller.cancel()
    else:
        caller.cancel()
        gate.leave(here)
    await asyncio.wait([caller])
    assert caller.cancelled()
    here = await next_one
    assert gate.running == 1
    gate.leave(here)
    assert gate.running == 0
    await gate.wait_until_empty()


async def test_draining_sends_away_who_waits_and_who_comes():
    gate = Gate(1, 2)
    here = await gate.enter(ANN, None)
    waiting = [await queued(gate), await queued(gate, whose=BOB)]
    gate.drain()
    for caller in waiting:
        with pytest.raises(Draining):
            await caller
    with pytest.raises(Draining):
        await gate.enter(ANN, None)
    empty = asyncio.create_task(gate.wait_until_empty())
    await asyncio.sleep(0)
    assert not empty.done()
    gate.leave(here)
    await empty


async def test_drained_and_cancelled_in_one_turn():
    gate = Gate(1, 1)
    here = await gate.enter(ANN, None)
    caller = await queued(gate)
    gate.drain()
    caller.cancel()
    await asyncio.wait([caller])
    gate.leave(here)
    assert (gate.running, gate.waiting) == (0, 0)


async def test_empty_from_the_start():
    await Gate(1, 1).wait_until_empty()


async def test_a_slot_that_was_kept_is_given_when_nobody_is_expected_any_more(monkeypatch):
    """By the time alone: no task ends, and nobody comes."""
    monkeypatch.setattr("langserver.core.fairness.HORIZON_SECONDS", 0.05)
    monkeypatch.setattr("langserver.server.gate._LOOK_SECONDS", 0.01)
    gate = Gate(2, 4)
    first = await gate.enter(ANN, None)
    gate.leave(await gate.enter(BOB, None))
    second = await queued(gate)  # one is kept for bob
    assert (gate.running, gate.waiting) == (1, 1)
    async with asyncio.timeout(30):
        given = await second
    assert given.makes_way is False  # for nobody
    gate.leave(first)
    gate.leave(given)


async def test_who_waits_for_a_kept_slot_is_told_that_his_deadline_has_passed(monkeypatch):
    monkeypatch.setattr("langserver.server.gate._LOOK_SECONDS", 0.01)
    gate = Gate(2, 4)
    await gate.enter(ANN, None)
    gate.leave(await gate.enter(BOB, None))
    late = await queued(gate, deadline=now() + 0.02)
    with pytest.raises(Expired):
        async with asyncio.timeout(30):
            await late
    assert (gate.running, gate.waiting) == (1, 0)

"""The queue in front of the slots, with callers who come, wait and leave at awkward moments."""

from __future__ import annotations

import asyncio

import pytest

from langserver.server.gate import Draining, Expired, Full, Gate


def now():
    return asyncio.get_running_loop().time()


async def queued(gate, deadline=None):
    """A caller who waits in the queue."""
    waiting = gate.waiting
    task = asyncio.create_task(gate.enter(deadline))
    await asyncio.sleep(0)
    assert gate.waiting == waiting + 1
    return task


async def test_callers_enter_in_order():
    gate = Gate(1, 2)
    await gate.enter(None)
    first, second = await queued(gate), await queued(gate)
    gate.leave(0.1)
    await first
    assert not second.done()
    gate.leave(0.1)
    await second
    assert gate.running == 1


async def test_full_says_when_to_come_back():
    gate = Gate(1, 0)
    await gate.enter(None)
    with pytest.raises(Full) as full:
        await gate.enter(None)
    assert 0 < full.value.retry_seconds <= 10


async def test_a_deadline_that_has_passed_is_not_admitted():
    gate = Gate(1, 1)
    with pytest.raises(Expired):
        await gate.enter(now())
    assert gate.running == 0


async def test_a_deadline_that_passes_in_the_queue():
    gate = Gate(1, 2)
    await gate.enter(None)
    late = await queued(gate, now() + 0.01)
    patient = await queued(gate)
    await asyncio.sleep(0.02)
    gate.leave(0.1)
    with pytest.raises(Expired):
        await late
    await patient
    assert (gate.running, gate.waiting) == (1, 0)


async def test_who_is_cancelled_in_the_queue_leaves_it():
    gate = Gate(1, 1)
    await gate.enter(None)
    caller = await queued(gate)
    caller.cancel()
    await asyncio.wait([caller])
    assert caller.cancelled()
    assert (gate.running, gate.waiting) == (1, 0)


@pytest.mark.parametrize("called_first", [True, False])
async def test_cancelled_in_the_turn_in_which_the_slot_came(called_first):
    gate = Gate(1, 2)
    await gate.enter(None)
    caller, next_one = await queued(gate), await queued(gate)
    if called_first:
        gate.leave(0.1)
        caller.cancel()
    else:
        caller.cancel()
        gate.leave(0.1)
    await asyncio.wait([caller])
    assert caller.cancelled()
    await next_one
    assert gate.running == 1
    gate.leave(0.1)
    assert gate.running == 0
    await gate.wait_until_empty()


async def test_draining_sends_away_who_waits_and_who_comes():
    gate = Gate(1, 2)
    await gate.enter(None)
    waiting = [await queued(gate), await queued(gate)]
    gate.drain()
    for caller in waiting:
        with pytest.raises(Draining):
            await caller
    with pytest.raises(Draining):
        await gate.enter(None)
    empty = asyncio.create_task(gate.wait_until_empty())
    await asyncio.sleep(0)
    assert not empty.done()
    gate.leave(0.1)
    await empty


async def test_drained_and_cancelled_in_one_turn():
    gate = Gate(1, 1)
    await gate.enter(None)
    caller = await queued(gate)
    gate.drain()
    caller.cancel()
    await asyncio.wait([caller])
    gate.leave(0.1)
    assert (gate.running, gate.waiting) == (0, 0)


async def test_empty_from_the_start():
    await Gate(1, 1).wait_until_empty()

"""Messages come in by lanes: small ones pass those that are slow, of which there are few."""

from __future__ import annotations

import asyncio

import pytest

from langserver.server.intake import Crowded, Intake, Lanes, Unsent

FOREVER = 3600.0


class Caller:
    """Sends its message when told to."""

    def __init__(self):
        self.sent = asyncio.Event()
        self.begun = asyncio.Event()

    async def read(self):
        self.begun.set()
        await self.sent.wait()
        return b"here"


def lanes(**changes):
    return Lanes(
        **{
            "quick": 2,
            "quick_each": 2,
            "quick_seconds": 0,
            "slow": 1,
            "slow_each": 1,
            "slow_seconds": FOREVER,
            "patience_seconds": 0,
        }
        | changes
    )


async def settle():
    for _ in range(10):
        await asyncio.sleep(0)


async def taking(intake, caller):
    call = asyncio.create_task(intake.take("peer", caller.read))
    await settle()
    return call


async def test_a_message_that_is_there():
    intake, caller = Intake(lanes()), Caller()
    caller.sent.set()
    assert await intake.take("peer", caller.read) == b"here"


async def test_one_that_is_slow_holds_up_nobody_and_another_is_sent_away():
    intake, slow, second, quick = Intake(lanes()), Caller(), Caller(), Caller()
    first = await taking(intake, slow)
    with pytest.raises(Crowded):
        await intake.take("peer", second.read)
    quick.sent.set()
    assert await intake.take("peer", quick.read) == b"here"
    slow.sent.set()
    assert await first == b"here"
    again = await taking(intake, Caller())  # there is a place again
    assert not again.done()
    again.cancel()
    await asyncio.wait([again])


async def test_who_may_wait_gets_the_place():
    intake, slow, patient = Intake(lanes(patience_seconds=FOREVER)), Caller(), Caller()
    first, second = await taking(intake, slow), await taking(intake, patient)
    assert not second.done()
    slow.sent.set()
    assert await first == b"here"
    await settle()
    third = await taking(intake, Caller())
    patient.sent.set()
    assert await second == b"here"
    third.cancel()
    await asyncio.wait([third])


async def test_who_waits_may_be_done_before_his_turn_and_no_more_are_received():
    intake, slow, patient, late = Intake(lanes(patience_seconds=FOREVER)), Caller(), Caller(), Caller()
    calls = [await taking(intake, caller) for caller in (slow, patient, Caller(), late)]
    assert not late.begun.is_set()  # one in the slow lane and two in the quick one are all that are received
    patient.sent.set()
    assert await calls[1] == b"here"
    await settle()
    assert late.begun.is_set()
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)


async def test_large_messages_of_one_sender_hold_up_no_others():
    """He has half of both lanes full, and more that wait: another's message, small or slow, has its place at once."""
    half = lanes(quick=4, quick_each=2, slow=2, slow_each=1, patience_seconds=FOREVER)
    intake, small, large = Intake(half), Caller(), Caller()
    flood = [Caller() for _ in range(8)]
    calls = [await taking(intake, caller) for caller in flood]
    assert [caller.begun.is_set() for caller in flood] == [True] * 3 + [False] * 5  # one is slow, two wait to be
    small.sent.set()
    assert await intake.take("other", small.read) == b"here"
    slow = asyncio.create_task(intake.take("other", large.read))
    await settle()
    assert large.begun.is_set()
    assert not slow.done()
    flood[0].sent.set()  # its place in the slow lane is his next one's
    await settle()
    assert [caller.begun.is_set() for caller in flood] == [True] * 4 + [False] * 4
    for call in (*calls, slow):
        call.cancel()
    await asyncio.wait([*calls, slow])


async def test_one_connection_holds_up_only_itself():
    intake, other = Intake(lanes(quick=2, quick_each=1, quick_seconds=FOREVER)), Caller()
    crowd = [Caller() for _ in range(5)]
    calls = [await taking(intake, caller) for caller in crowd]
    assert [caller.begun.is_set() for caller in crowd] == [True] + [False] * 4
    other.sent.set()
    assert await intake.take("other", other.read) == b"here"
    for caller in crowd:
        caller.sent.set()
    assert await asyncio.gather(*calls) == [b"here"] * 5


async def test_what_does_not_come():
    intake = Intake(lanes(slow_seconds=0))
    for _ in range(3):  # its place is free again each time
        with pytest.raises(Unsent, match="the request did not arrive within 0 s"):
            await intake.take("peer", Caller().read)


async def test_a_caller_who_goes_away_gives_his_place_back():
    intake = Intake(lanes())
    for _ in range(3):
        call = await taking(intake, Caller())
        call.cancel()
        await asyncio.wait([call])
    waiting = Intake(lanes(patience_seconds=FOREVER))
    first, second = await taking(waiting, Caller()), await taking(waiting, Caller())
    second.cancel()
    await asyncio.wait([second])
    first.cancel()
    await asyncio.wait([first])
    caller = Caller()
    third = await taking(waiting, caller)
    caller.sent.set()
    assert await third == b"here"

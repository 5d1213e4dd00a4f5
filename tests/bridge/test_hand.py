"""Slots are never lost, whatever becomes of those who wait for them."""

from __future__ import annotations

import asyncio

import pytest

from worker_bridge.shell.hand import Hand


async def test_a_turn_that_comes_to_a_cancelled_reader_goes_to_the_next() -> None:
    hand = Hand(1)
    assert await hand.take("first") == 1
    cancelled, next_one = (asyncio.create_task(hand.take(reader)) for reader in ("cancelled", "next"))
    await asyncio.sleep(0)  # both ask
    cancelled.cancel()
    hand.give_back(1)  # before the cancelled one has run
    assert await next_one == 1
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    hand.give_back(1)
    assert not hand.in_hand


async def test_a_reader_cancelled_after_its_turn_came_gives_back() -> None:
    hand = Hand(1)
    assert await hand.take("first") == 1
    reader = asyncio.create_task(hand.take("reader"))
    await asyncio.sleep(0)
    hand.give_back(1)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    assert not hand.in_hand


async def test_a_cancelled_reader_asks_no_more() -> None:
    hand = Hand(1)
    assert await hand.take("first") == 1
    reader = asyncio.create_task(hand.take("reader"))
    await asyncio.sleep(0)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    hand.give_back(1)
    assert not hand.in_hand
    assert await hand.take("reader") == 1

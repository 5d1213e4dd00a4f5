from __future__ import annotations

import asyncio

from worker_bridge.shell.ending import end


async def test_a_cancellation_that_was_swallowed_comes_again() -> None:
    swallowed = 0

    async def stubborn() -> None:
        nonlocal swallowed
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                swallowed += 1
                if swallowed == 3:
                    raise

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    await end([task])
    assert task.cancelled()
    assert swallowed == 3


async def test_what_has_ended_is_left_alone() -> None:
    task = asyncio.create_task(asyncio.sleep(0, "done"))
    await task
    await end([task])
    assert task.result() == "done"

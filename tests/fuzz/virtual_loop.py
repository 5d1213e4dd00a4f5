"""An event loop whose clock stands still while anything can be done, and jumps to the next timer when nothing can."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stuck(AssertionError):
    """Nothing can happen any more, and no timer will make it."""


class _Selector(selectors.DefaultSelector):  # type: ignore[misc,valid-type]
    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> Any:
        events = super().select(0)
        if not events:
            if timeout is None:
                raise Stuck
            self.loop.now += timeout
        return events


class VirtualLoop(asyncio.SelectorEventLoop):
    """Descriptors are real, time is not."""

    def __init__(self) -> None:
        selector = _Selector()
        selector.loop = self
        self.now = 0.0
        self.faults: list[str] = []
        super().__init__(selector)
        self.set_exception_handler(lambda _, context: self.faults.append(repr(context)))

    def time(self) -> float:
        return self.now


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs `work` to its end. What no one caught in a callback or a task is an AssertionError."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        result = runner.run(work)
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
    assert not loop.faults, loop.faults
    return result


async def settle() -> None:
    """Lets everything happen that needs no time."""
    for _ in range(6):
        await asyncio.sleep(0)

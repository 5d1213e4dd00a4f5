"""What a program may do with the loop under its coroutines."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

from langserver.python_runtime.modules.loop import check_context, new_loop
from langserver.python_runtime.refusals import attribute


class _Own:
    """The loop of a program that asks for one before any runs; it stays until the task ends."""

    loop: Any = None


def current_loop() -> Any:
    """The loop that runs, or the program's own."""
    running = asyncio._get_running_loop()
    if running is not None:
        return running
    if _Own.loop is None or _Own.loop.is_closed():
        _Own.loop = new_loop()
    return _Own.loop


class Handle:
    """What `call_soon` and its kin give: the call can be cancelled."""

    __slots__ = ("_handle",)

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def cancel(self) -> None:
        self._handle.cancel()

    def cancelled(self) -> bool:
        return bool(self._handle.cancelled())

    def __repr__(self) -> str:
        return "<a call that was cancelled>" if self.cancelled() else "<a call to come>"


class TimerHandle(Handle):
    """The same, for a call at its time."""

    __slots__ = ()

    def when(self) -> float:
        return float(self._handle.when())


class LoopFace:
    """What a program may do with the loop."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name == "run_in_executor":
            raise attribute(name, "there is one thread", "call the function, or await asyncio.to_thread(function)")
        if hasattr(asyncio.AbstractEventLoop, name):
            raise attribute(name, "this loop has no sockets, threads, processes or signals")
        raise AttributeError(f"the event loop has no attribute {name!r}")

    def time(self) -> float:
        return time.monotonic()

    def create_task(self, coro: Any, *, name: str | None = None, context: Any = None) -> Any:
        return current_loop().create_task(coro, name=name, context=context)

    def create_future(self) -> Any:
        return current_loop().create_future()

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Handle:
        return Handle(current_loop().call_soon(callback, *args, context=check_context(context)))

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Any = None) -> Handle:
        return self.call_soon(callback, *args, context=context)

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> TimerHandle:
        return TimerHandle(current_loop().call_later(delay, callback, *args, context=check_context(context)))

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> TimerHandle:
        return TimerHandle(current_loop().call_at(when, callback, *args, context=check_context(context)))

    def run_until_complete(self, future: Any) -> Any:
        if asyncio._get_running_loop() is not None:
            if asyncio.iscoroutine(future):
                future.close()
            raise RuntimeError("This event loop is already running")
        return current_loop().run_until_complete(future)

    def run_forever(self) -> None:
        current_loop().run_forever()

    def stop(self) -> None:
        current_loop().stop()

    def is_running(self) -> bool:
        return asyncio._get_running_loop() is not None

    def is_closed(self) -> bool:
        return False

    def get_debug(self) -> bool:
        return False

    def set_debug(self, enabled: bool) -> None:
        """Nobody reads what it would say."""

    async def shutdown_asyncgens(self) -> None:
        await current_loop().shutdown_asyncgens()

    async def shutdown_default_executor(self) -> None:
        """There is none."""

    def close(self) -> None:
        """The loop of a task ends with it."""


FACE: Final = LoopFace()

"""asyncio on a loop that owns nothing: its selector only sleeps, so there is no socket, descriptor or thread."""

from __future__ import annotations

import asyncio
import os
import time
import types
from asyncio import base_events, coroutines, format_helpers
from asyncio.log import logger
from collections.abc import Callable, Coroutine
from typing import Any

from langserver.python_runtime.logs import STDERR
from langserver.python_runtime.names import SOURCE_NAME
from langserver.python_runtime.tracebacks import render_headed

logger.disabled = True  # it writes files and frames of the library to stderr
Future = asyncio.Future


class _Sleeper:
    """A selector without descriptors: waiting is sleeping."""

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("every coroutine waits for another: nothing can ever happen")
        if timeout > 0:
            time.sleep(timeout)
        return []


# What the library says of an error that no code of the program could see. Its own texts go on with objects of it.
_UNSEEN = ("Task exception was never retrieved", "Future exception was never retrieved", "Exception in callback")


def _unseen(loop: Any, context: dict[str, Any]) -> None:
    error, said = context.get("exception"), context.get("message", "")
    if error is not None and not issubclass(
        type(error), asyncio.CancelledError
    ):  # what is left at the end is cancelled
        heading = next((each for each in _UNSEEN if each in said), "Exception in the event loop")
        STDERR.write(render_headed(heading, error))


class _Loop(base_events.BaseEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._selector = _Sleeper()
        self.set_exception_handler(_unseen)

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """Nothing can call from another thread."""


def run(main: Coroutine[Any, Any, Any], *, debug: Any = None) -> Any:
    """`asyncio.run`. Raises RuntimeError inside a running loop."""
    if asyncio._get_running_loop() is not None:
        main.close()
        raise RuntimeError("asyncio.run() cannot be called from a running event loop")
    if not asyncio.iscoroutine(main):
        raise ValueError(f"a coroutine was expected, got {type(main).__name__}")
    loop = _Loop()
    try:
        return loop.run_until_complete(main)
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        for task in left:
            if not task.cancelled() and task.exception() is not None:
                _unseen(loop, {"message": _UNSEEN[0], "exception": task.exception()})
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def create_task(coro: Any, *, name: str | None = None) -> Any:
    """`asyncio.create_task`."""
    return asyncio.create_task(coro, name=name)


async def to_thread(func: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`asyncio.to_thread`: there is one thread, so it runs here."""
    return func(*args, **kwargs)


def current_task() -> Any:
    """`asyncio.current_task`."""
    return asyncio.current_task()


def hide_paths() -> None:
    """Makes the texts of tasks and futures name files of the library without their folders, which are the host's."""
    source_of = format_helpers._get_function_source
    text_of = coroutines._format_coroutine  # type: ignore[attr-defined]  # typeshed leaves it out

    def function_source(func: Any) -> tuple[str, int] | None:
        found = source_of(func)
        return None if found is None else (os.path.basename(found[0]), found[1])

    def format_coroutine(coro: Any) -> str:
        text: str = text_of(coro)
        code = getattr(coro, "cr_code", None)
        if type(code) is not types.CodeType or code.co_filename == SOURCE_NAME:
            return text
        return text.replace(code.co_filename, os.path.basename(code.co_filename))

    format_helpers._get_function_source = function_source  # type: ignore[assignment]  # typeshed's is overloaded
    coroutines._format_coroutine = format_coroutine  # type: ignore[attr-defined]


class _LoopFace:
    """What a program may do with the running loop."""

    __slots__ = ()

    def time(self) -> float:
        return time.monotonic()

    def create_task(self, coro: Any, *, name: str | None = None) -> Any:
        return asyncio.create_task(coro, name=name)

    def create_future(self) -> Any:
        return asyncio.get_running_loop().create_future()

    def run_until_complete(self, coro: Any) -> Any:
        return run(coro)

    def is_running(self) -> bool:
        return asyncio._get_running_loop() is not None

    def close(self) -> None:
        """The loop of a task ends with it."""


_FACE = _LoopFace()


def get_running_loop() -> _LoopFace:
    """`asyncio.get_running_loop`. Raises RuntimeError outside of one."""
    asyncio.get_running_loop()
    return _FACE


def get_event_loop() -> _LoopFace:
    """`asyncio.get_event_loop`."""
    return _FACE


_LISTED = """
    BoundedSemaphore CancelledError Condition Event FIRST_COMPLETED FIRST_EXCEPTION ALL_COMPLETED InvalidStateError Lock
    LifoQueue PriorityQueue Queue QueueEmpty QueueFull QueueShutDown Semaphore TaskGroup TimeoutError as_completed
    gather iscoroutine iscoroutinefunction isfuture shield sleep timeout timeout_at wait wait_for ensure_future Barrier
    BrokenBarrierError IncompleteReadError LimitOverrunError
"""
NAMES: dict[str, Any] = {
    **{name: getattr(asyncio, name) for name in _LISTED.split() if hasattr(asyncio, name)},
    "create_task": create_task,
    "current_task": current_task,
    "get_event_loop": get_event_loop,
    "get_running_loop": get_running_loop,
    "new_event_loop": get_event_loop,
    "run": run,
    "set_event_loop": lambda loop: None,
    "to_thread": to_thread,
}

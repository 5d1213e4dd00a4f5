"""`asyncio`: the library's own tasks, futures and locks, and what a program may do with the loop under them."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from typing import Any, Final, Self

from langserver.python_runtime.faces import Face, stand_in
from langserver.python_runtime.modules.loop import new_loop
from langserver.python_runtime.modules.loopface import FACE, Handle, LoopFace, TimerHandle, current_loop

Future = asyncio.Future


def run(main: Coroutine[Any, Any, Any], *, debug: Any = None) -> Any:
    """`asyncio.run`. Raises RuntimeError inside a running loop."""
    if asyncio._get_running_loop() is not None:
        if asyncio.iscoroutine(main):
            main.close()
        raise RuntimeError("asyncio.run() cannot be called from a running event loop")
    if not asyncio.iscoroutine(main):
        raise ValueError(f"a coroutine was expected, got {type(main).__name__}")
    loop = new_loop()
    try:
        return loop.run_until_complete(main)
    finally:
        loop.finish()


class Runner:
    """`asyncio.Runner`: several coroutines on one loop."""

    def __init__(self, *, debug: Any = None) -> None:
        _check_runner(self)
        self._made: Any = None
        self._context = contextvars.copy_context()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, coro: Any, *, context: Any = None) -> Any:
        """Runs it to its end. Raises RuntimeError inside a running loop, ValueError for what is no coroutine."""
        _check_runner(self)
        if asyncio._get_running_loop() is not None:
            raise RuntimeError("Runner.run() cannot be called from a running event loop")
        if not asyncio.iscoroutine(coro):
            raise ValueError(f"a coroutine was expected, got {type(coro).__name__}")
        if self._made is None:
            self._made = new_loop()
        loop = self._made
        return loop.run_until_complete(loop.create_task(coro, context=self._context if context is None else context))

    def close(self) -> None:
        """Cancels what is left."""
        _check_runner(self)
        if self._made is not None and not self._made.is_closed():
            self._made.finish()


def _check_runner(runner: Any) -> None:
    # A class of the program, or any object when this is called unbound, would be given the loop itself to keep.
    if type(runner) is not Runner:
        raise TypeError("asyncio.Runner is needed, no class derived from it")


def create_task(coro: Any, *, name: str | None = None, context: Any = None) -> Any:
    """`asyncio.create_task`."""
    return asyncio.get_running_loop().create_task(coro, name=name, context=context)


async def to_thread(func: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`asyncio.to_thread`: there is one thread, so it runs here."""
    return func(*args, **kwargs)


def current_task() -> Any:
    """`asyncio.current_task`."""
    return asyncio.current_task()


def all_tasks() -> Any:
    """`asyncio.all_tasks` of the running loop."""
    return asyncio.all_tasks()


def get_running_loop() -> LoopFace:
    """`asyncio.get_running_loop`. Raises RuntimeError outside of one."""
    asyncio.get_running_loop()
    return FACE


def get_event_loop() -> LoopFace:
    """`asyncio.get_event_loop`."""
    return FACE


def _future(*, loop: Any = None) -> Any:
    if loop is not None and loop is not FACE:
        raise TypeError("loop= takes the loop of asyncio.get_running_loop()")
    return current_loop().create_future()


def _task(coro: Any, *, loop: Any = None, name: Any = None, context: Any = None) -> Any:
    if loop is not None and loop is not FACE:
        raise TypeError("loop= takes the loop of asyncio.get_running_loop()")
    return current_loop().create_task(coro, name=name, context=context)


def ensure_future(coro_or_future: Any, *, loop: Any = None) -> Any:
    """`asyncio.ensure_future`. Raises TypeError for a loop of the program's own making."""
    if loop is not None and loop is not FACE:
        raise TypeError("loop= takes the loop of asyncio.get_running_loop()")
    return asyncio.ensure_future(coro_or_future, loop=None if asyncio.isfuture(coro_or_future) else current_loop())


_LISTED = """
    BoundedSemaphore CancelledError Condition Event FIRST_COMPLETED FIRST_EXCEPTION ALL_COMPLETED InvalidStateError Lock
    LifoQueue PriorityQueue Queue QueueEmpty QueueFull QueueShutDown Semaphore TaskGroup TimeoutError as_completed
    gather iscoroutine iscoroutinefunction isfuture shield sleep timeout timeout_at wait wait_for Barrier
    BrokenBarrierError IncompleteReadError LimitOverrunError
"""
_EXCEPTIONS = """
    BrokenBarrierError CancelledError IncompleteReadError InvalidStateError LimitOverrunError TimeoutError
"""
# For annotations and `isinstance`; a task and a future can also be made by their names.
_STAND_INS: Final[dict[str, Face]] = {
    "AbstractEventLoop": stand_in(LoopFace),
    "Future": stand_in(asyncio.Future, _future),
    "Task": stand_in(asyncio.Task, _task),
    "Timeout": stand_in(asyncio.Timeout),
}
EXCEPTIONS: Final[dict[str, Any]] = {name: getattr(asyncio, name) for name in _EXCEPTIONS.split()}
NAMES: Final[dict[str, Any]] = {
    **{name: getattr(asyncio, name) for name in _LISTED.split() if hasattr(asyncio, name)},
    **_STAND_INS,
    "Handle": Handle,
    "Runner": Runner,
    "TimerHandle": TimerHandle,
    "all_tasks": all_tasks,
    "create_task": create_task,
    "current_task": current_task,
    "ensure_future": ensure_future,
    "get_event_loop": get_event_loop,
    "get_running_loop": get_running_loop,
    "new_event_loop": get_event_loop,
    "run": run,
    "set_event_loop": lambda loop: None,
    "to_thread": to_thread,
}

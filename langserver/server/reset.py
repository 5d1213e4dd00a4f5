"""How a call is ended that no status can reach: its stream is reset.

A status goes out behind what was written before it. To a caller who does not read it never does, and gRPC keeps the
call and its messages for as long as he likes. Its Python library has no word for a reset; but it does reset the stream
when the last thing that knows the call is gone. That is the library's own task around a handler, to be found by its
name: tests/integration/server/test_unread.py fails where that has changed. (Its loop holds the latest call until the
next one comes: one at most is kept longer.)
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Coroutine
from contextvars import ContextVar, copy_context
from typing import Any, TypeAlias, cast

_CALL_COROUTINE = "_schedule_rpc_coro"

_TaskReference: TypeAlias = "Callable[[], asyncio.Task[Any] | None]"

# Inherited by the task that runs the handler. A holder, since a task's context must exist before the task does.
_call_task: ContextVar[list[_TaskReference]] = ContextVar("call_task")


def remember_calls() -> None:
    """Has this loop note the task of each call that comes. Call it before the gRPC server starts."""
    asyncio.get_running_loop().set_task_factory(cast("Any", _make_task))


def call_task() -> asyncio.Task[Any] | None:
    """The library's task of the call that is being handled: cancelled, it lets go of it."""
    holder = _call_task.get([])
    return holder[0]() if holder else None


def _make_task(loop: asyncio.AbstractEventLoop, coro: Coroutine[Any, Any, Any], **options: Any) -> asyncio.Task[Any]:
    if getattr(coro, "__qualname__", "") != _CALL_COROUTINE:
        return asyncio.Task(coro, loop=loop, **options)
    holder: list[_TaskReference] = []
    context = options.pop("context", None) or copy_context()
    context.run(_call_task.set, holder)
    task = asyncio.Task(coro, loop=loop, context=context, **options)
    holder.append(weakref.ref(task))  # weak: the task has the context
    return task

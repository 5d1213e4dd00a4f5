"""A loop for asyncio that owns nothing: its selector only sleeps, so there is no socket, descriptor or thread."""

from __future__ import annotations

import asyncio
import contextvars
import os
import time
import types
from asyncio import base_events, coroutines, format_helpers
from asyncio.log import logger
from typing import Any, NoReturn

from langserver.python_runtime.logs import STDERR
from langserver.python_runtime.names import SOURCE_NAME
from langserver.python_runtime.refusals import attribute
from langserver.python_runtime.tracebacks import render_headed

logger.disabled = True  # it writes files and frames of the library to stderr


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
        super().set_exception_handler(_unseen)

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """Nothing can call from another thread."""

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        """As the library's. Raises TypeError for a context of the program's own making."""
        return super().call_soon(callback, *args, context=check_context(context))

    def create_task(self, coro: Any, *, context: Any = None, **options: Any) -> Any:
        """As the library's. Raises TypeError for a context of the program's own making: it would be handed what is
        inside a task.
        """
        return super().create_task(coro, context=check_context(context), **options)

    def finish(self) -> None:
        """Cancels what is left, tells of what nobody saw, and closes."""
        left = asyncio.all_tasks(self)
        for task in left:
            task.cancel()
        if left:
            self.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        for task in left:
            if not task.cancelled() and task.exception() is not None:
                _unseen(self, {"message": _UNSEEN[0], "exception": task.exception()})
        self.run_until_complete(self.shutdown_asyncgens())
        self.close()


# What asyncio itself and `LoopFace` ask of a loop. A program that gets hold of it finds nothing else.
_NEEDED = frozenset(
    """
    call_at call_exception_handler call_later call_soon call_soon_threadsafe close create_future create_task
    default_exception_handler get_debug get_task_factory is_closed is_running run_forever run_until_complete set_debug
    shutdown_asyncgens shutdown_default_executor stop time
    """.split()
)


def _refusing(name: str) -> Any:
    def refuse(self: Any, *args: Any, **options: Any) -> NoReturn:
        raise attribute(name, "this loop has no sockets, threads, processes or signals")

    return refuse


def _close_the_rest() -> None:
    for name in dir(base_events.BaseEventLoop):
        if not name.startswith("_") and name not in _NEEDED:
            setattr(_Loop, name, _refusing(name))


_close_the_rest()


def check_context(context: Any) -> Any:
    """`context`, when it is none or one of `contextvars`. Raises TypeError."""
    if context is not None and type(context) is not contextvars.Context:
        raise TypeError("context= takes a contextvars.Context")
    return context


def new_loop() -> _Loop:
    """A loop for this process."""
    return _Loop()


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

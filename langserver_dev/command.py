"""`langserver dev`: runs the stack until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress

from coordinator.commands.exits import NotWritten
from coordinator.commands.output import line
from coordinator.errors import StartError
from coordinator.process import forbid_dumps
from langserver_dev.stack import Stack
from worker_bridge.errors import StartError as BridgeStartError
from worker_bridge.logs import set_up_logging
from worker_bridge.settings import Settings


def run(options: Namespace) -> None:
    """Until SIGTERM or SIGINT. Raises StartError."""
    forbid_dumps()
    try:
        settings = Settings()
    except BridgeStartError as error:
        raise StartError(str(error)) from None
    set_up_logging(settings.worker_log_format, settings.worker_log_level)
    logging.getLogger("coordinator").setLevel(settings.worker_log_level.upper())
    asyncio.run(_run(options.listen))


async def _run(listen: str | None) -> None:
    stack = Stack(listen)
    with suppress(asyncio.CancelledError):
        _cancelled_by_signals()
        async with stack:
            _hurried_by_signals(stack)
            _say(stack)
            raise StartError(await stack.broken())


def _cancelled_by_signals() -> None:
    task = asyncio.current_task()
    assert task is not None
    _on_signals(task.cancel)


def _hurried_by_signals(stack: Stack) -> None:
    """The first signal lets running tasks end, the second one does not."""
    task = asyncio.current_task()
    assert task is not None
    asked: list[bool] = []

    def stop() -> None:
        stack.bridge.stop() if asked else task.cancel()
        asked.append(True)

    _on_signals(stop)


def _on_signals(act: Callable[[], object]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, act)


def _say(stack: Stack) -> None:
    where = "in this process" if stack.streams is not None else f"in Redis at {os.environ['REDIS_ADDR']}"
    try:
        line(f"langserver listening on {stack.language_server.address}")
        line(f"streams are {where}; the bridge reads {', '.join(stack.bridge.reads)}")
        line(f"coordinator listening on {stack.coordinator.address}")
    except NotWritten as error:
        raise StartError(str(error)) from None

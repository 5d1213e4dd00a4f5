"""`coordinator serve`: the coordinator, with the settings of the environment."""

from __future__ import annotations

import asyncio
import logging
import signal
from argparse import Namespace
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from coordinator.commands.exits import ExitStatus
from coordinator.commands.output import line
from coordinator.errors import StartError
from coordinator.process import forbid_dumps
from operating.access.handshakes import Handshakes, overhear

if TYPE_CHECKING:
    from coordinator.settings import Settings
    from operating.tracing.tracer import Tracing

log = logging.getLogger(__name__)


def serve(options: Namespace) -> int:
    """Serves until SIGTERM or SIGINT; returns the exit status. Raises StartError."""
    forbid_dumps()
    handshakes = overhear("COORDINATOR_TLS_CERT")
    from coordinator.logs import set_up_logging
    from coordinator.settings import Settings

    given = {"listen_addr": options.listen} if options.listen else {}
    settings = Settings(**given)
    set_up_logging(settings.log_format, settings.log_level)
    tracing = tracing_of_a_coordinator()
    try:
        with suppress(asyncio.CancelledError):  # stopped while it started
            asyncio.run(_serve(settings, handshakes, tracing))
    finally:
        if tracing is not None:
            tracing.close()
    return ExitStatus.SUCCESS


def tracing_of_a_coordinator() -> Tracing | None:
    """Raises StartError."""
    from operating.tracing.start import start_tracing

    try:
        return start_tracing("coordinator", version("langserver"))
    except ValueError as error:
        raise StartError(str(error)) from None


async def _serve(settings: Settings, handshakes: Handshakes | None, tracing: Tracing | None) -> None:
    from coordinator.app import Coordinator

    starting = asyncio.current_task()
    assert starting is not None
    _on_stop(starting.cancel)
    async with Coordinator(settings, tracing=tracing) as coordinator:
        stop = asyncio.Event()
        _on_stop(stop.set)
        if handshakes is not None:
            loop = asyncio.get_running_loop()
            loop.add_reader(handshakes.descriptor, lambda: coordinator.handshakes_failed(handshakes.read(loop.time())))
        if coordinator.keys.are_in_files:
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, partial(coordinator.keys.look, at_once=True))
        line(f"coordinator listening on {coordinator.address}")
        await stop.wait()
        log.info("stopping")


def _on_stop(act: object) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, act)  # type: ignore[arg-type]

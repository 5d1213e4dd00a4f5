"""`worker-bridge run`: the bridge, with the settings of the environment."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from importlib.metadata import version
from typing import TYPE_CHECKING

from worker_bridge.commands.output import say
from worker_bridge.confine import forbid_dumps
from worker_bridge.errors import StartError
from worker_bridge.logs import set_up_logging

if TYPE_CHECKING:
    from operating.tracing.tracer import Tracing
    from worker_bridge.settings import Settings

log = logging.getLogger(__name__)


def run() -> int:
    """Works until SIGTERM or SIGINT; returns the exit status. Raises StartError."""
    forbid_dumps()
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # the library's own log lines say less than ours
    from worker_bridge.settings import Settings

    settings = Settings()
    set_up_logging(settings.worker_log_format, settings.worker_log_level)
    for name in settings.unknown_variables():
        log.warning("%s is set, but there is no such setting", name)
    tracing = tracing_of_a_bridge()
    try:
        asyncio.run(_run(settings, tracing))
    finally:
        if tracing is not None:
            tracing.close()
    return 0


def tracing_of_a_bridge() -> Tracing | None:
    """Raises StartError."""
    from operating.tracing.start import start_tracing

    try:
        return start_tracing("worker-bridge", version("langserver"))
    except ValueError as error:
        raise StartError(str(error)) from None


async def _run(settings: Settings, tracing: Tracing | None) -> None:
    from worker_bridge.app import Bridge

    bridge = Bridge(settings, tracing=tracing)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, bridge.stop)
    await bridge.run(lambda: say(f"worker-bridge {bridge.worker_id} reads {', '.join(bridge.reads)}"))

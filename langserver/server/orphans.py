"""The first process of a container inherits every orphan in it; the server waits for them, as an init does.

Else the children of a zygote that died would stay in the process table, and count against the container's limit of
processes.
"""

from __future__ import annotations

import asyncio
import signal

from langserver.zygote import launch
from langserver.zygote.reap import reap_strangers


def bury_orphans() -> None:
    """From now on, as long as the running loop runs."""
    asyncio.get_running_loop().add_signal_handler(signal.SIGCHLD, lambda: reap_strangers(launch.running()))

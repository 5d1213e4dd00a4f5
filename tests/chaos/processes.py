"""Real processes that can be killed and started again on the same port."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil

GUARD_SECONDS = 120.0  # against hanging; nothing is measured with it


def free_port() -> int:
    """One that nobody listens on now; a restarted process needs to know its own, and to get it again."""
    # So none, if there is another, that the kernel may give to whoever connects meanwhile (ip(7), ip_local_port_range).
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
    others = range(max(1024, lowest // 2), lowest)
    for port in (*random.sample(others, min(50, len(others))), 0):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found: int = probe.getsockname()[1]
            return found
    raise AssertionError("no port is free")


class Part:
    """One process of the system under test.

    `ready` is a pattern of the line that it prints once it serves; without one nothing is waited for.
    """

    def __init__(self, name: str, command: list[str], log: Path, ready: str | None = None, **environment: str) -> None:
        self.name = name
        self._command, self._log, self._ready, self._environment = command, log, ready, environment
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Starts it and waits until it is ready."""
        with self._log.open("ab") as log:
            at = log.tell()
            self._process = subprocess.Popen(  # noqa: ASYNC220 - a fork and no more
                self._command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env={**os.environ, **self._environment}
            )
        if self._ready is None:
            return
        async with asyncio.timeout(GUARD_SECONDS):
            while not re.search(self._ready, self._log.read_bytes()[at:].decode(errors="replace")):
                assert self._process.poll() is None, f"{self.name} ended: {self.words}"
                await asyncio.sleep(0.05)

    async def kill(self) -> None:
        """SIGKILL, and gone."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> int:
        """SIGTERM, and gone; its exit status."""
        return await self._end(signal.SIGTERM)

    def signal(self, number: signal.Signals) -> None:
        """Sends it, and waits for nothing."""
        assert self._process is not None
        self._process.send_signal(number)

    async def _end(self, how: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(how)
        return await asyncio.to_thread(self._process.wait, GUARD_SECONDS)

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def words(self) -> str:
        """The end of what it printed."""
        return self._log.read_bytes()[-4000:].decode(errors="replace")

    def zygotes(self) -> list[psutil.Process]:
        """Of a language server: its own children and theirs that are zygotes or their launchers."""
        assert self._process is not None
        found = []
        for child in psutil.Process(self._process.pid).children(recursive=True):
            try:
                if "langserver.zygote.main" in child.cmdline():
                    found.append(child)
            except psutil.Error:  # it ends just now
                continue
        return found


def python(module: str, *arguments: str) -> list[str]:
    """The command line of one of our programs."""
    return [sys.executable, "-m", module, *arguments]

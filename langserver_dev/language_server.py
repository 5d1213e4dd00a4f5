"""The language server: a process of its own here too, since it never shares one with anybody."""

from __future__ import annotations

import asyncio
import ctypes
import signal
import sys
from asyncio.subprocess import PIPE, Process
from typing import Final

from coordinator.errors import StartError

_READY: Final = "langserver listening on "
_PR_SET_PDEATHSIG: Final = 1  # prctl(2), linux/prctl.h
_libc: Final = ctypes.CDLL(None)


class LanguageServer:
    """`langserver serve` on a free port of loopback, with the settings of the environment."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self.address = ""

    async def start(self) -> None:
        """Until it listens. Raises StartError; what is wrong it said on standard error."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "langserver.cli",
            "serve",
            "--listen",
            "127.0.0.1:0",
            stdout=PIPE,
            process_group=0,  # Ctrl-C is for us: the bridge's tasks end first
            preexec_fn=_end_with_parent,  # nothing else runs in this process yet: no thread, no gRPC
        )
        assert self._process.stdout is not None
        line = (await self._process.stdout.readline()).decode(errors="replace")
        if not line.startswith(_READY):
            await self._process.wait()
            raise StartError("the language server did not start: it says why above")
        self.address = line.removeprefix(_READY).strip()

    async def ended(self) -> int:
        """Waits for its end, whatever the reason; its exit status."""
        assert self._process is not None
        return await self._process.wait()

    async def stop(self) -> None:
        """Lets running tasks end."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
            await self._process.wait()


def _end_with_parent() -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

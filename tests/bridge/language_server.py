"""A real language server in a process of its own, to be killed and started again on the same port."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.coordinator.servers import free_port

_SERVER = Path(sys.executable).with_name("langserver")


class LanguageServer:
    """Serves both runtimes, with few children."""

    def __init__(self, **settings: str) -> None:
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self._settings = {"LANG_MAX_CONCURRENCY": "4", "LANG_WARM_CHILDREN": "0"} | settings
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Returns when it listens."""
        self._process = subprocess.Popen(
            [_SERVER, "serve", "--listen", self.address],
            env=os.environ | self._settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline().startswith("langserver listening on")

    def kill(self) -> None:
        """SIGKILL."""
        self._end(kill=True)

    def stop(self) -> None:
        """SIGTERM."""
        self._end(kill=False)

    def _end(self, *, kill: bool) -> None:
        if self._process is None:
            return
        if kill:
            self._process.kill()
        else:
            self._process.terminate()
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None

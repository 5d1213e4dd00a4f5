"""The Redis of tests, which keeps its data over a kill and can stand still."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.coordinator import servers


class RedisServer(servers.RedisServer):
    """With an append-only file in `folder`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, durable=True)

    @property
    def address(self) -> str:
        return self.addr

    def freeze(self) -> None:
        """It stands still, connected."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on."""
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)

"""`coordinator serve` as a process of its own, to be killed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field

from tests.coordinator.servers import GUARD_SECONDS

COMMAND = (sys.executable, "-m", "coordinator.cli")


@dataclass
class Serving:
    """Started when it is made; `addr` is where it listens."""

    database_url: str
    redis_addr: str
    environment: dict[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = (*COMMAND, "serve")

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            self.command,
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "COORDINATOR_LISTEN_ADDR": "127.0.0.1:0",
                "COORDINATOR_DATABASE_URL": self.database_url,
                "REDIS_ADDR": self.redis_addr,
                "COORDINATOR_SWEEP_SECONDS": "1",
                **self.environment,
            },
        )
        said = self.process.stdout.readline()
        assert said.startswith("coordinator listening on "), said
        self.addr = said.split()[-1]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self) -> int:
        self.process.terminate()
        status = self.process.wait(GUARD_SECONDS)
        self.process.stdout.close()
        return status

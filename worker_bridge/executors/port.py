"""What executes tasks of some node type."""

from __future__ import annotations

from typing import Protocol

from worker_bridge.core.envelope import Task
from worker_bridge.core.outcome import Outcome


class Executor(Protocol):
    """Registered by node type."""

    async def start(self) -> None:
        """Begins to look after its connections; nothing needs to be reachable."""

    async def usable(self) -> None:
        """Returns when it seems that tasks would be executed. Nobody takes some before."""

    async def execute(self, task: Task, seconds: int) -> Outcome:
        """Executes for so long at most. Cancelled, it stops the execution. It raises nothing of its own."""

    async def close(self) -> None:
        """Lets go of connections."""

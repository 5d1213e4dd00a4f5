"""Which executor a node type goes to."""

from __future__ import annotations

from collections.abc import Mapping

from worker_bridge.core.envelope import Task
from worker_bridge.core.outcome import Outcome
from worker_bridge.core.queues import canonical
from worker_bridge.executors.port import Executor


class Executors:
    """By canonical node type."""

    def __init__(self, by_type: Mapping[str, Executor]) -> None:
        self._by_type = dict(by_type)

    @property
    def node_types(self) -> tuple[str, ...]:
        """What is known."""
        return tuple(sorted(self._by_type))

    async def start(self) -> None:
        """Starts all."""
        for executor in self._by_type.values():
            await executor.start()

    async def usable(self, queue: str) -> None:
        """Returns when what a queue of this name is for would be executed. Of other queues nothing is known."""
        executor = self._by_type.get(canonical(queue).partition(":")[0])
        if executor is not None:
            await executor.usable()

    async def execute(self, task: Task, seconds: int) -> Outcome:
        """Has `task` executed; what nobody can execute is a failure that no retry mends."""
        executor = self._by_type.get(canonical(task.node_type))
        if executor is None:
            known = ", ".join(self.node_types) or "none"
            return Outcome.failed(
                "UNKNOWN_NODE_TYPE", f"no executor for {task.node_type!r}; known: {known}", terminal=True
            )
        return await executor.execute(task, seconds)

    async def close(self) -> None:
        """Closes all."""
        for executor in self._by_type.values():
            await executor.close()

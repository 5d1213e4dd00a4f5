"""A task as it is submitted, and the entry that is made of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from coordinator.core.digest import task_digest


@dataclass(frozen=True, slots=True)
class Content:
    """What every attempt of a task has in common. `input_json` is the exact text that was submitted."""

    run_id: str
    task_id: str
    node_id: str
    node_type: str
    workflow_id: str
    workflow_version: str
    input_json: bytes = field(repr=False)
    traceparent: str

    def digest(self, attempt: int) -> bytes:
        """Of the entry of this attempt."""
        return task_digest(
            run_id=self.run_id,
            task_id=self.task_id,
            node_id=self.node_id,
            node_type=self.node_type,
            workflow_id=self.workflow_id,
            attempt=attempt,
            input_json=self.input_json,
        )

    def entry(self, attempt: int) -> dict[str, str]:
        """The fields of the stream entry of this attempt."""
        fields = {
            "task_id": self.task_id,
            "run_id": self.run_id,
            "node_id": self.node_id,
            "node_type": self.node_type,
            "workflow_id": self.workflow_id,
            "workflow_version": self.workflow_version,
            "attempt": str(attempt),
            "input": self.input_json.decode(),
        }
        return {**fields, "traceparent": self.traceparent} if self.traceparent else fields


@dataclass(frozen=True, slots=True)
class NewTask:
    """A task that was checked (`core.submission`)."""

    content: Content
    queue: str
    max_attempts: int

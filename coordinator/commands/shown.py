"""A task as JSON fields."""

from __future__ import annotations

from coordinator.commands.output import raw
from coordinator.core.states import FINAL, TaskState
from coordinator.pb import coordinator_pb2 as pb


def state(task: pb.Task) -> TaskState:
    """The state it is in."""
    return TaskState(task.state)


def has_ended(task: pb.Task) -> bool:
    """Whether it will change no more."""
    return state(task) in FINAL


def outcome(task: pb.Task) -> dict[str, object]:
    """What `submit --wait` prints."""
    return {
        "run_id": task.run_id,
        "task_id": task.task_id,
        "state": state(task).name,
        "attempt": task.attempt,
        "output": raw(task.output),
        "error": task.error,
    }


def whole(task: pb.Task) -> dict[str, object]:
    """What `status --json` prints."""
    return {
        **outcome(task),
        "node_id": task.node_id,
        "node_type": task.node_type,
        "queue": task.queue,
        "max_attempts": task.max_attempts,
        "owner": task.owner,
        "error_json": raw(task.error_json),
        "logs": raw(task.logs_json),
        "created_at": task.created_at,
        "updated_at": task.updated_at,
    }


def counted(counts: pb.TaskCounts) -> dict[str, int]:
    """How many tasks are in each state, by its name."""
    return {of.name: getattr(counts, of.name.lower()) for of in TaskState}

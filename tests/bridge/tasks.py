"""Tasks, and the entries that carry them."""

from __future__ import annotations

import itertools
import json
from typing import Any

from worker_bridge.core.envelope import Task

_numbers = itertools.count(1)


def a_task(**different: Any) -> Task:
    """One that is not there yet."""
    known = {
        "task_id": f"task-{next(_numbers)}",
        "run_id": "run",
        "node_id": "node",
        "node_type": "python",
        "workflow_id": "workflow",
        "workflow_version": "1",
        "attempt": 1,
        "input": '{"code": "return 1"}',
    }
    return Task(**(known | different))


def program(code: str, **more: Any) -> str:
    """The input of a task of a language runtime."""
    return json.dumps({"code": code, **more})


def fields(task: Task) -> dict[str, str]:
    """Its entry, as separate fields."""
    return {
        "task_id": task.task_id,
        "run_id": task.run_id,
        "node_id": task.node_id,
        "node_type": task.node_type,
        "workflow_id": task.workflow_id,
        "workflow_version": task.workflow_version,
        "attempt": str(task.attempt),
        "input": task.input,
        **({"traceparent": task.traceparent} if task.traceparent else {}),
    }


def raw(values: dict[str, str]) -> dict[bytes, bytes]:
    """As it comes from a stream."""
    return {name.encode(): value.encode() for name, value in values.items()}

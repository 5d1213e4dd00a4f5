"""What binds an entry to its task: both sides compute it, each from what it has."""

from __future__ import annotations

import hashlib

from worker_bridge.core.envelope import Task


def task_digest(task: Task) -> bytes:
    """SHA-256 as proto/coordinator.proto says it: each part after its number of bytes, which is eight bytes long."""
    digest = hashlib.sha256()
    for part in (
        task.run_id,
        task.task_id,
        task.node_id,
        task.node_type,
        task.workflow_id,
        str(task.attempt),
        task.input,
    ):
        raw = part.encode()
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.digest()

"""What binds a queue entry to its task."""

from __future__ import annotations

import hashlib


def task_digest(
    *, run_id: str, task_id: str, node_id: str, node_type: str, workflow_id: str, attempt: int, input_json: bytes
) -> bytes:
    """SHA-256 over the fields in this order, each with its length before it as eight bytes, most significant first."""
    found = hashlib.sha256()
    for text in (run_id, task_id, node_id, node_type, workflow_id, str(attempt)):
        _add(found, text.encode())
    _add(found, input_json)
    return found.digest()


def _add(found: hashlib._Hash, field: bytes) -> None:
    found.update(len(field).to_bytes(8, "big"))
    found.update(field)

"""What may be submitted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from coordinator.core import json_text
from coordinator.core.bounds import ID_BYTES, INPUT_BYTES, MOST_ATTEMPTS, NAME_BYTES
from coordinator.core.queues import queue_of
from coordinator.core.task import Content, NewTask
from coordinator.errors import InvalidRequest
from operating.traceparent import parse_traceparent

_NAME: Final = re.compile(rf"[A-Za-z0-9._:-]{{1,{NAME_BYTES}}}")


@dataclass(frozen=True, slots=True)
class Submitted:
    """A task as it came, ids given already; empty text and 0 mean the default."""

    run_id: str
    task_id: str
    node_id: str
    node_type: str
    workflow_id: str
    workflow_version: str
    input_json: bytes = field(repr=False)
    max_attempts: int
    queue: str
    traceparent: str


def checked(submitted: Submitted, default_attempts: int) -> NewTask:
    """The task, defaults filled in. Raises InvalidRequest."""
    check_id("run_id", submitted.run_id)
    check_id("task_id", submitted.task_id)
    node_id = submitted.node_id or submitted.task_id
    check_id("node_id", node_id)
    check_name("node_type", submitted.node_type)
    queue = queue_of(submitted.queue, submitted.node_type)
    check_name("queue", queue)
    _check_text("workflow_id", submitted.workflow_id, ID_BYTES)
    _check_text("workflow_version", submitted.workflow_version, ID_BYTES)
    if not 0 <= submitted.max_attempts <= MOST_ATTEMPTS:
        raise InvalidRequest(f"max_attempts is {submitted.max_attempts}: expected 1 to {MOST_ATTEMPTS}")
    return NewTask(
        content=Content(
            run_id=submitted.run_id,
            task_id=submitted.task_id,
            node_id=node_id,
            node_type=submitted.node_type,
            workflow_id=submitted.workflow_id,
            workflow_version=submitted.workflow_version,
            input_json=_checked_input(submitted.input_json),
            # Of no consequence to the task: one that is none is left out, and refuses nothing.
            traceparent=submitted.traceparent if parse_traceparent(submitted.traceparent) else "",
        ),
        queue=queue,
        max_attempts=submitted.max_attempts or default_attempts,
    )


def check_id(field: str, value: str) -> None:
    """An id is required, short and printable: it goes into logs and queries. Raises InvalidRequest."""
    if not value:
        raise InvalidRequest(f"{field} is required")
    _check_text(field, value, ID_BYTES)


def check_name(field: str, value: str) -> None:
    """A name becomes a part of a stream's. Raises InvalidRequest."""
    if not value:
        raise InvalidRequest(f"{field} is required")
    if not _NAME.fullmatch(value):
        raise InvalidRequest(f"{field} may hold letters, digits and ._:- only, at most {NAME_BYTES} of them")


def _check_text(field: str, value: str, most: int) -> None:
    size = len(value.encode())
    if size > most:
        raise InvalidRequest(f"{field} has {size} bytes: at most {most} are allowed")
    if not value.isprintable():
        raise InvalidRequest(f"{field} holds characters that are not printable")


def _checked_input(text: bytes) -> bytes:
    if len(text) > INPUT_BYTES:
        raise InvalidRequest(f"input has {len(text)} bytes: at most {INPUT_BYTES} are allowed")
    if not text:
        return b"{}"
    if (fault := json_text.fault(text)) is not None:
        raise InvalidRequest(f"input is no JSON text: {fault}")
    return text

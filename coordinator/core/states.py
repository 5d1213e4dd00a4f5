"""The words of the contract as numbers: those of proto/coordinator.proto."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class TaskState(IntEnum):
    """PENDING has an outbox row, QUEUED an entry in a stream, RUNNING a lease; the others are final."""

    PENDING = 1
    QUEUED = 2
    RUNNING = 3
    COMPLETED = 4
    FAILED = 5


FINAL: Final = frozenset({TaskState.COMPLETED, TaskState.FAILED})


class LeaseReason(IntEnum):
    """Why a lease was not given."""

    UNSPECIFIED = 0
    HELD = 1
    DONE = 2
    SUPERSEDED = 3
    UNKNOWN_TASK = 4
    MISMATCH = 5

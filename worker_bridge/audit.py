"""The bridge's audit log: entries that are no task's, and requests that may not go where they want.

Nothing that an entry holds is in it but its ids: no code, no input, no host, no word of an error.
"""

from __future__ import annotations

import logging
from typing import Final

from operating.telemetry.audit import OF_TASKS, AuditLines
from worker_bridge.core.delivery import Denial
from worker_bridge.core.envelope import Task
from worker_bridge.executors.egress.refusal import Reason
from worker_bridge.streams.port import Entry

LOGGER: Final = "worker_bridge.audit"

_MALFORMED: Final = ("ENTRY_MALFORMED", "an entry cannot be read")
_REFUSED: Final = ("ENTRY_REFUSED", "the coordinator takes offence at what an entry says")
_DENIALS: Final = {
    Denial.MISMATCH: ("ENTRY_FORGED", "an entry is not what its task is"),
    Denial.UNKNOWN_TASK: ("ENTRY_OF_NO_TASK", "an entry is of a task that the coordinator does not know"),
}
_EGRESS: Final = ("EGRESS_REFUSED", "an http task may not go where it wants")
# An address at which a cloud gives out its own keys is no slip of an author's.
_NO_SLIPS: Final = frozenset({Reason.METADATA})


class Audit:
    """Made and called in the event loop."""

    def __init__(self) -> None:
        self._lines = AuditLines("worker_bridge")

    def malformed(self, entry: Entry) -> None:
        """It is parked with the reason, which may repeat what it holds."""
        self._of_entry(_MALFORMED, entry, None)

    def denied(self, entry: Entry, task: Task, why: Denial) -> None:
        """There is no lease; most reasons why not are everyday's."""
        if why in _DENIALS:
            self._of_entry(_DENIALS[why], entry, task)

    def refused(self, entry: Entry, task: Task) -> None:
        """The coordinator does not take the request for a lease itself."""
        self._of_entry(_REFUSED, entry, task)

    def egress_refused(self, task: Task, reason: Reason) -> None:
        """The policy forbade a request, or a redirect."""
        event, text = _EGRESS
        if self._lines.admits(OF_TASKS, event, reason=reason.value):
            level = logging.WARNING if reason in _NO_SLIPS else logging.INFO
            self._lines.write(level, text, event=event, reason=reason.value, **_named(task), attempt=task.attempt)

    def close(self) -> None:
        """Says what is not said yet."""
        self._lines.close()

    def _of_entry(self, said: tuple[str, str], entry: Entry, task: Task | None) -> None:
        event, text = said
        if self._lines.admits(OF_TASKS, event, stream=entry.stream):
            named = {} if task is None else _named(task)
            self._lines.write(logging.WARNING, text, event=event, stream=entry.stream, entry=entry.id, **named)


def _named(task: Task) -> dict[str, str]:
    return {"task_id": task.task_id, "run_id": task.run_id, "trace_id": task.traceparent[3:35]}

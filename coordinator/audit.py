"""The coordinator's audit log: callers who are sent away, entries that are no task's, reports that fit no lease.

And what operators do with dead letters.

Nothing that a task or a report holds is in it but ids and names.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final

from coordinator.core.lease import LeaseRequest
from coordinator.core.letters import Letter
from coordinator.core.report import Misfit, Report
from coordinator.core.states import LeaseReason
from operating.access.principal import shown
from operating.telemetry.audit import OF_OTHERS, OF_TASKS, AuditLines

LOGGER: Final = "coordinator.audit"


class _Stranger(Enum):
    """With its words."""

    TOKEN_REFUSED = "a call without a valid token was refused"  # noqa: S105 - a sentence
    HANDSHAKE_FAILED = "a client could not connect over TLS"


_ENTRIES: Final = {
    LeaseReason.MISMATCH: ("ENTRY_FORGED", "an entry is not what its task is"),
    LeaseReason.UNKNOWN_TASK: ("ENTRY_OF_NO_TASK", "a lease was asked for a task that there is not"),
}
_REPORT: Final = ("REPORT_REFUSED", "a report does not fit its task's lease, and does not count")
_NAMED: Final = 16  # letters in one line
# A worker that stood still reports late; what it says of itself is true, though.
_HONEST: Final = frozenset({Misfit.NOT_RUNNING, Misfit.FENCE, Misfit.ATTEMPT})


class Audit:
    """Made and called in the event loop."""

    def __init__(self) -> None:
        self._lines = AuditLines("coordinator")

    def stranger_refused(self) -> None:
        """A call without a valid token."""
        self._stranger(_Stranger.TOKEN_REFUSED, "", 1)

    def handshakes_failed(self, reasons: Mapping[str, int]) -> None:
        """So many clients could not connect, by reason."""
        for reason, count in reasons.items():
            self._stranger(_Stranger.HANDSHAKE_FAILED, reason, count)

    def lease_refused(self, asked: LeaseRequest, why: LeaseReason, principal: str, trace_id: str) -> None:
        """Most reasons are everyday's."""
        if why not in _ENTRIES:
            return
        event, text = _ENTRIES[why]
        if self._lines.admits(OF_TASKS, event, principal=shown(principal)):
            self._lines.write(
                logging.WARNING,
                text,
                event=event,
                task_id=asked.task_id,
                run_id=asked.run_id,
                trace_id=trace_id,
                attempt=asked.attempt or None,
                worker=asked.owner,
                principal=shown(principal),
            )

    def report_refused(self, report: Report, why: Misfit, principal: str, trace_id: str) -> None:
        """It changes nothing."""
        event, text = _REPORT
        if self._lines.admits(OF_TASKS, event, reason=why.value, principal=shown(principal)):
            self._lines.write(
                logging.INFO if why in _HONEST else logging.WARNING,
                text,
                event=event,
                reason=why.value,
                task_id=report.task_id,
                run_id=report.run_id,
                trace_id=trace_id,
                attempt=report.attempt or None,
                worker=report.owner,
                principal=shown(principal),
            )

    def letters_requeued(self, letters: Sequence[Letter], principal: str) -> None:
        """Their tasks are tried again, as an operator wished."""
        self._letters("LETTERS_REQUEUED", "tasks of dead letters were given another attempt", letters, principal)

    def letters_dropped(self, letters: Sequence[Letter], principal: str) -> None:
        """They are gone, as an operator wished."""
        self._letters("LETTERS_DROPPED", "dead letters were removed", letters, principal)

    def close(self) -> None:
        """Says what is not said yet."""
        self._lines.close()

    def _letters(self, event: str, text: str, letters: Sequence[Letter], principal: str) -> None:
        if letters and self._lines.admits(OF_TASKS, event, principal=shown(principal)):
            self._lines.write(
                logging.INFO,
                text,
                event=event,
                count=len(letters),
                letters=" ".join(letter.name for letter in letters[:_NAMED]),
                principal=shown(principal),
            )

    def _stranger(self, event: _Stranger, reason: str, count: int) -> None:
        if self._lines.admits(OF_OTHERS, event.name, reason=reason):
            self._lines.write(logging.WARNING, event.value, event=event.name, reason=reason, count=count)

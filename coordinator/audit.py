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
_REQUEUED: Final = ("LETTERS_REQUEUED", "tasks of dead letters were given another attempt")
_DROPPED: Final = ("LETTERS_DROPPED", "dead letters were removed")
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
        if why in _ENTRIES:
            event, text = _ENTRIES[why]
            self._of_task(logging.WARNING, event, text, asked, reason="", principal=principal, trace_id=trace_id)

    def report_refused(self, report: Report, why: Misfit, principal: str, trace_id: str) -> None:
        """It changes nothing."""
        level = logging.INFO if why in _HONEST else logging.WARNING
        self._of_task(level, *_REPORT, report, reason=why.value, principal=principal, trace_id=trace_id)

    def letters_requeued(self, letters: Sequence[Letter], principal: str) -> None:
        """Their tasks are tried again, as an operator wished."""
        self._letters(*_REQUEUED, letters, principal)

    def letters_dropped(self, letters: Sequence[Letter], principal: str) -> None:
        """They are gone, as an operator wished."""
        self._letters(*_DROPPED, letters, principal)

    def close(self) -> None:
        """Says what is not said yet."""
        self._lines.close()

    def _of_task(
        self,
        level: int,
        event: str,
        text: str,
        said: LeaseRequest | Report,
        *,
        reason: str,
        principal: str,
        trace_id: str,
    ) -> None:
        """What a worker `said` of a task, and who he is."""
        if self._lines.admits(OF_TASKS, event, reason=reason, principal=shown(principal)):
            self._lines.write(
                level,
                text,
                event=event,
                reason=reason,
                task_id=said.task_id,
                run_id=said.run_id,
                trace_id=trace_id,
                attempt=said.attempt or None,
                worker=said.owner,
                principal=shown(principal),
            )

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

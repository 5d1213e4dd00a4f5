"""What the server's parts tell, and who hears it: figures, where they are asked for, log lines, the audit log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from langserver.server.statuses import Reason
from langserver.server.telemetry.audit import Audit, Event
from langserver.server.telemetry.ended import Ended
from langserver.server.telemetry.executions import log_ended
from langserver.server.telemetry.faults import Faults
from langserver.server.zygotes import ZygoteEvent

if TYPE_CHECKING:
    from langserver.server.telemetry.metrics import Metrics

# Callers share what there is: who is turned away so wanted more than there was for him.
_WANT_MORE = frozenset({Reason.QUEUE_FULL, Reason.DEADLINE, Reason.TOO_SLOW})
_AUDITED = {ZygoteEvent.LOST: Event.ZYGOTE_LOST, ZygoteEvent.SEAL_FAILED: Event.SEAL_FAILED}


class Telemetry:
    """Made and called in the event loop."""

    def __init__(self, metrics: Metrics | None = None) -> None:
        """`metrics` is None: nobody asks for figures."""
        self._metrics = metrics
        self._audit = Audit()
        self._faults = Faults()

    def ended(self, ended: Ended) -> None:
        """An execution or a validation, whatever became of its caller."""
        if self._metrics is not None:
            self._metrics.ended(ended)
        log_ended(ended)
        self._faults.ended(ended)
        self._audit.ended(ended)

    def refused(self, reason: Reason, whom: str) -> None:
        """A call was turned away: of a principal, or without one of an address."""
        if self._metrics is not None:
            self._metrics.refused(reason)
        if reason is Reason.UNAUTHENTICATED:
            self._tell(Event.TOKEN_REFUSED)
        elif reason in _WANT_MORE:
            self._audit.wants_more(whom, reason.value)

    def handshakes_failed(self, reasons: Counter[str]) -> None:
        """So many clients could not connect, by reason."""
        for reason, count in reasons.items():
            self._tell(Event.HANDSHAKE_FAILED, reason=reason, count=count)

    def self_test_failed(self, runtime: str) -> None:
        """The server will not start."""
        self._tell(Event.SELF_TEST_FAILED, runtime=runtime)

    def of_pool(self, runtime: str) -> Callable[[ZygoteEvent], None]:
        """What a pool calls."""

        def tell(event: ZygoteEvent) -> None:
            if self._metrics is not None:
                self._metrics.pool(runtime, event)
            if event in _AUDITED:
                self._tell(_AUDITED[event], runtime=runtime)

        return tell

    def close(self) -> None:
        """Says what is not said yet."""
        self._audit.close()

    def _tell(self, event: Event, *, runtime: str = "", reason: str = "", count: int = 1) -> None:
        if self._metrics is not None:
            self._metrics.audited(event, count)
        self._audit.tell(event, runtime=runtime, reason=reason, count=count)

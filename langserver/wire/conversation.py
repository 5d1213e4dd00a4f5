"""The order in which a child may speak, and what it said: the server's view of one report pipe."""

from __future__ import annotations

from enum import Enum, auto

from langserver.core.claims import LogClaim, Report, SecurityClaim
from langserver.wire.channel import LOG_LINE_COST, MAX_EVENTS
from langserver.wire.fields import FieldError
from langserver.wire.frames import Frame, FrameDecoder, FrameError, Kind
from langserver.wire.report import (
    EVENT_TEXT_BYTES,
    LOG_LINE_BYTES,
    REPORT_OVERHEAD_BYTES,
    decode_event,
    decode_log,
    decode_report,
)

_SLACK = 16  # length prefixes and numbers of a small payload


class _Phase(Enum):
    JAILING = auto()
    HANDED_OVER = auto()
    RUNNING = auto()
    OVER = auto()


_ALLOWED = {
    _Phase.JAILING: {Kind.SEALED},
    _Phase.HANDED_OVER: {Kind.STARTED, Kind.BAD_INPUT, Kind.EVENT},
    _Phase.RUNNING: {Kind.LOG, Kind.LOGS_TRUNCATED, Kind.EVENT, Kind.REPORT},
    _Phase.OVER: set(),
}


class Conversation:
    """Takes a child's bytes in, in any pieces, and keeps what they say within the task's limits."""

    def __init__(self, output_bytes: int, log_bytes: int) -> None:
        self._output_bytes = output_bytes
        self._log_left = log_bytes
        self._phase = _Phase.JAILING
        self._decoder = FrameDecoder(
            {
                Kind.SEALED: 0,
                Kind.STARTED: 0,
                Kind.BAD_INPUT: 512,
                Kind.LOG: LOG_LINE_BYTES + _SLACK,
                Kind.LOGS_TRUNCATED: 0,
                Kind.EVENT: 2 * EVENT_TEXT_BYTES + _SLACK,
                Kind.REPORT: output_bytes + REPORT_OVERHEAD_BYTES,
            }
        )
        self.received = 0
        self.bad_input: str | None = None
        self.report: Report | None = None
        self.events: list[SecurityClaim] = []
        self.logs_truncated = False

    @property
    def sealed(self) -> bool:
        """The child said that its jail is complete: before that it was still our code alone."""
        return self._phase is not _Phase.JAILING

    @property
    def started(self) -> bool:
        """The child said that user code runs next."""
        return self._phase in (_Phase.RUNNING, _Phase.OVER) and self.bad_input is None

    @property
    def over(self) -> bool:
        """The child has said its last word."""
        return self._phase is _Phase.OVER

    def hear(self, data: bytes) -> list[LogClaim]:
        """Takes in what was read; returns the log lines it completes. Raises FrameError for a broken protocol."""
        self.received += len(data)
        logs: list[LogClaim] = []
        try:
            for frame in self._decoder.feed(data):
                if frame.kind not in _ALLOWED[self._phase]:
                    raise FrameError(f"a {frame.kind.name} frame {_WHEN[self._phase]}")
                self._take(frame, logs)
        except FieldError as error:
            raise FrameError(str(error)) from None
        if self.over and self._decoder.pending:
            raise FrameError("bytes after its last word")
        return logs

    def _take(self, frame: Frame, logs: list[LogClaim]) -> None:
        match frame.kind:
            case Kind.SEALED:
                self._phase = _Phase.HANDED_OVER
            case Kind.STARTED:
                self._phase = _Phase.RUNNING
            case Kind.BAD_INPUT:
                self.bad_input = frame.payload.decode("utf-8", "replace").replace("\0", "")
                self._phase = _Phase.OVER
            case Kind.LOG:
                self._take_log(decode_log(frame.payload), logs)
            case Kind.LOGS_TRUNCATED:
                if self.logs_truncated:
                    raise FrameError("logs were cut already")
                self.logs_truncated = True
            case Kind.EVENT:
                if len(self.events) == MAX_EVENTS:
                    raise FrameError(f"more than {MAX_EVENTS} events")
                self.events.append(decode_event(frame.payload))
            case Kind.REPORT:
                self.report = decode_report(frame.payload, self._output_bytes + REPORT_OVERHEAD_BYTES)
                self._phase = _Phase.OVER

    def _take_log(self, claim: LogClaim, logs: list[LogClaim]) -> None:
        # An honest child keeps to its budget by the same sum, and says so once when it is spent.
        self._log_left -= len(claim.text.encode()) + LOG_LINE_COST
        if self._log_left < 0 or self.logs_truncated:
            raise FrameError("logs over their limit")
        logs.append(claim)


_WHEN = {
    _Phase.JAILING: "before it was sealed",
    _Phase.HANDED_OVER: "before it started",
    _Phase.RUNNING: "while it ran",
    _Phase.OVER: "after its last word",
}

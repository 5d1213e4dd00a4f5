"""The order in which a child may speak, and what it said: the server's view of one report pipe."""

from __future__ import annotations

from enum import Enum, auto

from langserver.core.claims import LogClaim, Report, SecurityClaim
from langserver.wire.channel import FORM_BYTES, LOG_LINE_COST, MAX_EVENTS
from langserver.wire.fields import FieldError, shown
from langserver.wire.frames import Frame, FrameDecoder, FrameError, Kind
from langserver.wire.report import (
    BAD_INPUT_BYTES,
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
    COMPILING = auto()
    COMPILED = auto()
    HANDED_OVER = auto()
    RUNNING = auto()
    OVER = auto()


_ALLOWED = {
    _Phase.JAILING: {Kind.SEALED},
    # Starting without a word is allowed: that is how a child says that its memory ran out.
    _Phase.COMPILING: {Kind.COMPILED, Kind.STARTED, Kind.EVENT},
    _Phase.COMPILED: set(),
    _Phase.HANDED_OVER: {Kind.STARTED, Kind.BAD_INPUT, Kind.EVENT},
    _Phase.RUNNING: {Kind.LOG, Kind.LOGS_TRUNCATED, Kind.EVENT, Kind.REPORT},
    _Phase.OVER: set(),
}


class Conversation:
    """Takes a child's bytes in and keeps what they say within the task's limits.

    With `wants_form` the child was given a source and nothing more, and has one chance to send the compiled form: its
    next words but events. It must then be silent until `hand_on` says that the rest of the task goes to it.

    In which pieces they come changes nothing of what is kept: how many reads they take depends on the server's load,
    and often a child could choose it.
    """

    def __init__(self, output_bytes: int, log_bytes: int, wants_form: bool = False) -> None:
        self._output_bytes = output_bytes
        self._log_left = log_bytes
        self._phase = _Phase.JAILING
        self._wants_form = wants_form
        self._decoder = FrameDecoder(
            {
                Kind.SEALED: 0,
                Kind.STARTED: 0,
                Kind.BAD_INPUT: BAD_INPUT_BYTES,
                Kind.LOG: LOG_LINE_BYTES + _SLACK,
                Kind.LOGS_TRUNCATED: 0,
                Kind.EVENT: 2 * EVENT_TEXT_BYTES + _SLACK,
                Kind.REPORT: output_bytes + REPORT_OVERHEAD_BYTES,
            }
            | ({Kind.COMPILED: FORM_BYTES} if wants_form else {})
        )
        self.received = 0
        self.broken: str | None = None
        self.form: bytes | None = None
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
    def has_program(self) -> bool:
        """The child came past its source, to the input at least."""
        return self._phase in (_Phase.RUNNING, _Phase.OVER)

    @property
    def over(self) -> bool:
        """The child has said its last word."""
        return self._phase is _Phase.OVER

    @property
    def waits(self) -> bool:
        """The child has compiled, and waits for its input."""
        return self._phase is _Phase.COMPILED and self.broken is None

    def hand_on(self) -> None:
        """The rest of the task goes to a child that `waits`."""
        self._phase = _Phase.HANDED_OVER

    def hear(self, data: bytes) -> list[LogClaim]:
        """Takes in what was read; returns the log lines it completes.

        When it breaks the protocol, `broken` says how: what came before that counts, and nothing is heard after it.
        """
        logs: list[LogClaim] = []
        if self.broken is not None:
            return logs
        self.received += len(data)
        try:
            for frame in self._decoder.feed(data):
                self._take(frame, logs)
        except (FrameError, FieldError) as error:
            self.broken = str(error)
        if self.over and (self.broken is not None or self._decoder.pending):
            self.broken = "bytes after its last word"
        elif self.waits and self._decoder.pending:
            self.broken = "bytes before it had its input"
        return logs

    def _take(self, frame: Frame, logs: list[LogClaim]) -> None:
        if frame.kind not in _ALLOWED[self._phase]:
            raise FrameError(f"a {frame.kind.name} frame {_WHEN[self._phase]}")
        match frame.kind:
            case Kind.SEALED:
                self._phase = _Phase.COMPILING if self._wants_form else _Phase.HANDED_OVER
            case Kind.COMPILED:
                self.form = frame.payload
                self._phase = _Phase.COMPILED
            case Kind.STARTED:
                self._phase = _Phase.RUNNING
            case Kind.BAD_INPUT:
                self.bad_input = shown(frame.payload, BAD_INPUT_BYTES)
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
    _Phase.COMPILING: "before it compiled",
    _Phase.COMPILED: "before it had its input",
    _Phase.HANDED_OVER: "before it started",
    _Phase.RUNNING: "while it ran",
    _Phase.OVER: "after its last word",
}

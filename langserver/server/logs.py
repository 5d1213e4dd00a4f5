"""What the server logs, and where."""

from __future__ import annotations

import logging
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Final

import grpc

from operating.telemetry.lines import set_up

# The libraries' loggers: what they say can be caused by callers, at any rate, and may hold their bytes, tokens too.
_FOREIGN: Final = ("grpc", "asyncio")
# A caller's fault that gRPC reports with a traceback and all bytes: text that is no UTF-8 in metadata or in a path.
_CALLERS_FAULTS: Final = ("Invalid encoding on",)
_LINES_A_MINUTE = 10
_LONGEST = 400  # characters


def set_up_logging(format_: str, level: str) -> None:
    """Lines on standard error. Those of the libraries are few and short, and name no caller's bytes."""
    set_up(sys.stderr, format_, level, Foreign(time.monotonic).filter)


class Foreign(logging.Filter):
    """Lets pass what is ours; of what libraries say some lines a minute, each as one short line."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self._passed: deque[float] = deque(maxlen=_LINES_A_MINUTE)
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged; one of a library is rewritten."""
        if record.name.partition(".")[0] not in _FOREIGN or record.levelno < logging.WARNING:
            return True
        error = record.exc_info[1] if record.exc_info else None
        # InternalError: a caller went away in the moment in which he was answered. Nothing is wrong then.
        if isinstance(error, (grpc.aio.InternalError, UnicodeDecodeError)) or str(record.msg).startswith(
            _CALLERS_FAULTS
        ):
            return False
        now = self._now()
        if len(self._passed) == _LINES_A_MINUTE and now - self._passed[0] < 60:
            self._left_out += 1
            return False
        self._passed.append(now)
        record.msg, record.args = self._line(record, error), ()
        record.exc_info = record.exc_text = record.stack_info = None
        return True

    def _line(self, record: logging.LogRecord, error: BaseException | None) -> str:
        """What went wrong and where in the code; of the words only how they begin, printable and on one line."""
        parts = [ascii(str(record.msg))[1:-1][:_LONGEST]]  # unformatted: what is put into it is the caller's
        if error is not None:
            parts.append(f"{type(error).__name__}{_place(error)}")
        if self._left_out:
            parts.append(f"{self._left_out} such lines before were left out")
            self._left_out = 0
        return "; ".join(parts)


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f" in {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"

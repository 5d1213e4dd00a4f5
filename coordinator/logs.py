"""What the coordinator logs, and where."""

from __future__ import annotations

import logging
import sys
from typing import Final

from operating.telemetry.lines import set_up

# A caller's fault that gRPC reports with a traceback and all bytes, a token's too: metadata or a path that is no UTF-8.
_CALLERS_FAULT: Final = "Invalid encoding on"


def set_up_logging(format_: str, level: str) -> None:
    """Lines on standard error, from `level` on; of libraries, warnings."""
    set_up(sys.stderr, format_, "error" if level == "error" else "warning", _no_callers_bytes)
    for name in ("coordinator", "operating"):
        logging.getLogger(name).setLevel(level.upper())
    for name in ("grpc", "redis", "psycopg", "psycopg.pool"):  # what they say can be caused by callers, at any rate
        logging.getLogger(name).setLevel(logging.ERROR)


def _no_callers_bytes(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    foreign = record.name.partition(".")[0] == "grpc"
    return not (foreign and (isinstance(error, UnicodeDecodeError) or str(record.msg).startswith(_CALLERS_FAULT)))

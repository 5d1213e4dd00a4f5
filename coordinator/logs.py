"""What the coordinator logs, and where."""

from __future__ import annotations

import logging
from typing import Final

# A caller's fault that gRPC reports with a traceback and all bytes, a token's too: metadata or a path that is no UTF-8.
_CALLERS_FAULT: Final = "Invalid encoding on"


def set_up_logging() -> None:
    """Lines on standard error, from INFO on; of libraries, warnings."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(_no_callers_bytes)
    logging.getLogger("coordinator").setLevel(logging.INFO)
    for name in ("grpc", "redis", "psycopg", "psycopg.pool"):  # what they say can be caused by callers, at any rate
        logging.getLogger(name).setLevel(logging.ERROR)


def _no_callers_bytes(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    foreign = record.name.partition(".")[0] == "grpc"
    return not (foreign and (isinstance(error, UnicodeDecodeError) or str(record.msg).startswith(_CALLERS_FAULT)))

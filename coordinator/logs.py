"""What the coordinator logs, and where."""

from __future__ import annotations

import logging


def set_up_logging() -> None:
    """Lines on standard error, from INFO on; of libraries, warnings."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("coordinator").setLevel(logging.INFO)
    for name in ("grpc", "redis", "psycopg", "psycopg.pool"):  # what they say can be caused by callers, at any rate
        logging.getLogger(name).setLevel(logging.ERROR)

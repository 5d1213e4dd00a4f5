"""What the server logs, and where."""

from __future__ import annotations

import logging

import grpc


def set_up_logging() -> None:
    """Lines on standard error, from INFO on."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("grpc._cython.cygrpc").addFilter(_is_about_the_server)


def _is_about_the_server(record: logging.LogRecord) -> bool:
    # gRPC logs a traceback when a caller goes away in the moment in which he is answered: nothing is wrong then.
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, grpc.aio.InternalError)

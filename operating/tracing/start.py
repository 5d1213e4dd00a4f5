"""Whether this process makes spans."""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from operating.tracing.wanted import wanted

if TYPE_CHECKING:
    from operating.tracing.tracer import Tracing

log = logging.getLogger(__name__)


def start_tracing(program: str, version: str, environ: Mapping[str, str] = os.environ) -> Tracing | None:
    """None, and nothing is loaded, unless an endpoint is set. Raises ValueError, which says what to do.

    Starts a thread: call it in no process that forks.
    """
    asked = wanted(environ)
    if asked is None:
        return None
    # What the library says of a collector's answers may hold their bytes: `outgoing` says what there is to know.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    try:
        importlib.import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
        importlib.import_module("opentelemetry.sdk.trace")
    except ImportError as error:
        raise ValueError(
            f"OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry cannot be loaded ({error}): "
            "pip install 'langserver[telemetry]', or unset it"
        ) from None
    from operating.tracing.tracer import Tracing

    log.info("spans go to %s", asked.collector)
    return Tracing(program, version, asked)

"""One log line for each execution that ended: what became of it and how long it took, and nothing of what it said."""

from __future__ import annotations

import logging
from typing import Final

from langserver.server.telemetry.ended import Ended
from operating.access.principal import shown
from operating.telemetry.lines import fields

log = logging.getLogger("langserver.executions")

_TEXTS: Final = {"run": "an execution ended", "validate": "a validation ended"}


def log_ended(ended: Ended) -> None:
    """At INFO."""
    if not log.isEnabledFor(logging.INFO):
        return
    origin, usage = ended.origin, ended.outcome.usage
    # Made by hand: to find out the line of code that logs takes longer than all the rest.
    record = logging.LogRecord(log.name, logging.INFO, __file__, 0, _TEXTS[ended.mode], None, None)
    record.__dict__.update(
        fields(
            task_id=origin.task_id,
            run_id=origin.run_id,
            trace_id=origin.trace_id,
            runtime=ended.runtime,
            status=ended.status,
            total_seconds=round(ended.seconds, 6),
            **{f"{phase}_seconds": round(seconds, 6) for phase, seconds in ended.phases().items()},
            cpu_seconds=round(usage.cpu_seconds, 6),
            peak_memory_bytes=usage.peak_memory_bytes,
            principal=shown(origin.principal),
        )
    )
    log.handle(record)

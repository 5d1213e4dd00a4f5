"""What the bridge logs: lines on standard error."""

from __future__ import annotations

import logging
import sys

from worker_bridge.telemetry.lines import set_up


def set_up_logging(format_: str, level: str) -> None:
    """From `level` on; of libraries from WARNING on."""
    set_up(sys.stderr, format_, "error" if level == "error" else "warning")
    logging.getLogger("worker_bridge").setLevel(level.upper())

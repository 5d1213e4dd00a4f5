"""What the bridge logs: lines on standard error."""

from __future__ import annotations

import logging
import sys

from operating.telemetry.lines import set_up


def set_up_logging(format_: str, level: str) -> None:
    """From `level` on; of libraries from WARNING on."""
    set_up(sys.stderr, format_, "error" if level == "error" else "warning")
    for name in ("worker_bridge", "operating"):
        logging.getLogger(name).setLevel(level.upper())

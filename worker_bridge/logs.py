"""What the bridge logs: lines on standard error."""

from __future__ import annotations

import logging
import re
from typing import Final

# Names come from streams: none of them may steer a terminal or begin a line of its own.
_STEERING: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class _Plain(logging.Formatter):
    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the standard library's name
        record.message = record.message.replace("\n", "\\n")
        return _STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", super().formatMessage(record))


def set_up_logging() -> None:
    """From INFO on; of libraries from WARNING on."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Plain("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("worker_bridge").setLevel(logging.INFO)

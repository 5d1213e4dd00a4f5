"""Log lines that somebody else decides the number of: a few a minute, and how many there were besides."""

from __future__ import annotations

import logging
import time
from typing import Final

log = logging.getLogger("coordinator.security")

_EVERY_SECONDS: Final = 10.0


class Alarm:
    """One kind of security event."""

    def __init__(self) -> None:
        self._next = 0.0
        self._silent = 0

    def ring(self, text: str, *values: object) -> None:
        """Says it, unless it was said within the last ten seconds; then it is counted."""
        now = time.monotonic()
        if now < self._next:
            self._silent += 1
            return
        log.warning(text, *values)
        if self._silent:
            log.warning("%d more like it since the last one were not logged", self._silent)
        self._next = now + _EVERY_SECONDS
        self._silent = 0

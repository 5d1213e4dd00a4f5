"""Whether the other side of a link answers, and what the log says of that: one voice for all who use the link."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from operating.telemetry.repeats import Repeats


class LinkState:
    """Told of each attempt's end by the module that owns the link."""

    def __init__(self, name: str, module: str, alarm: Callable[[str], None]) -> None:
        """`name` is what is there and its address. `alarm` is told what an operator has to mend."""
        self.answers = True
        self._name = name
        self._log = logging.getLogger(module)
        self._alarm = alarm
        self._repeats = Repeats()
        self._away_since = 0.0

    def answered(self) -> None:
        """The other side did, if only to refuse something."""
        if not self.answers:
            self.answers = True
            self._log.info("%s answers again, after %.0f s", self._name, time.monotonic() - self._away_since)

    def failed(self, text: str, *, fault: bool) -> None:
        """It did not, or sent us away; `text` begins with its name. `fault`: until an operator mends something."""
        now = time.monotonic()
        if self.answers:
            self.answers, self._away_since = False, now
        if fault:
            self._alarm(text)
        elif self._repeats.say(text, now) is not None:
            self._log.warning("%s; it is tried again", text)

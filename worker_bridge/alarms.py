"""What no retry mends: each is counted, and the log has the same sentence once a minute at most."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from operating.telemetry.repeats import Repeats


class Alarms:
    """`count` is told of each."""

    def __init__(self, count: Callable[[], None]) -> None:
        self._count = count
        self._repeats = Repeats()

    def of(self, module: str) -> Callable[[str], None]:
        """To be called with what is wrong and what to check, the same words for the same trouble.

        The log has it under the name of the `module`, which owns the connection.
        """
        log = logging.getLogger(module)

        def alarm(text: str) -> None:
            self._count()
            unsaid = self._repeats.say(text, time.monotonic())
            if unsaid is not None:
                more = f" ({unsaid} times more since this was last said)" if unsaid else ""
                log.error("%s: this has to be mended by an operator; it is tried again%s", text, more)

        return alarm

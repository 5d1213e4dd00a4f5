"""Why executions end as INTERNAL: for the operator, whose fault it is or his host's. No word of a task is in it."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from langserver.core.outcome import ErrorKind
from langserver.server.telemetry.ended import Ended
from operating.telemetry.repeats import Repeats

log = logging.getLogger(__name__)

_ADVICE: Final = "no fault of the task's; `langserver doctor` in the same place tries each step"


class Faults:
    """The same reason is said once a minute at most. Called in the event loop."""

    def __init__(self) -> None:
        self._repeats = Repeats()

    def ended(self, ended: Ended) -> None:
        """An execution or a validation."""
        verdict = ended.outcome.verdict
        failure = verdict.failure
        if failure is None or failure.kind is not ErrorKind.INTERNAL or verdict.report is not None:
            return  # what a child reports are its own words
        why = f"{ended.runtime} tasks end as INTERNAL: {failure.message}"
        unsaid = self._repeats.say(why, asyncio.get_running_loop().time())
        if unsaid is not None:
            more = f" ({unsaid} times more since this was last said)" if unsaid else ""
            log.error("%s: %s%s", why, _ADVICE, more)

"""The audit log: what speaks of an attack, of somebody who should not call, or of a wall that did not hold.

Its logger has a name of its own, so that lines can be told apart wherever logs are sent; LANG_LOG_LEVEL does not
silence it. Nothing of a program is in it: no code, no value, no word that a child said.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from enum import Enum
from typing import Final

from langserver.core.outcome import ErrorKind
from langserver.server.telemetry.ended import Ended
from langserver.server.telemetry.flood import Flood
from operating.telemetry.lines import fields

LOGGER: Final = "langserver.audit"

log = logging.getLogger(LOGGER)
log.setLevel(logging.INFO)

_OUTCOMES: Final = {
    ErrorKind.SANDBOX_VIOLATION: (logging.WARNING, "a layer ended a task"),
    # It may have run native code.
    ErrorKind.CRASHED: (logging.WARNING, "a task's process crashed or broke its protocol"),
    ErrorKind.POLICY_VIOLATION: (logging.INFO, "the policy refused a task"),
}
_SURVIVED: Final = (logging.INFO, "a task was refused something")  # and its program went on, or failed otherwise


# Lines in one window: each of a task names another one, the others differ in nothing.
_OF_TASKS: Final = 20
_OF_OTHERS: Final = 2


class Event(Enum):
    """What is no execution's, with its words."""

    TOKEN_REFUSED = "a call without a valid token was refused"  # noqa: S105 - a sentence
    HANDSHAKE_FAILED = "a client could not connect over TLS"
    SELF_TEST_FAILED = "the self-test failed: the server does not start"
    ZYGOTE_LOST = "a zygote died"
    SEAL_FAILED = "a child could not be sealed"


class Audit:
    """Writes audit lines: of one event and one principal some in ten seconds, and then how many more there were."""

    def __init__(self) -> None:
        self._flood = Flood()
        self._timer: asyncio.TimerHandle | None = None

    def ended(self, ended: Ended) -> None:
        """An execution: a line for each kind of refusal that a layer saw in it, and for an end that is suspicious."""
        failure = ended.outcome.verdict.failure
        kind = failure.kind if failure is not None and failure.kind in _OUTCOMES else None
        seen = Counter((claim.layer, claim.action) for claim in ended.outcome.events)
        if not seen and (kind is None or ended.mode == "validate"):
            return
        name = "ATTEMPT" if kind is None else kind.name
        level, text = _SURVIVED if kind is None else _OUTCOMES[kind]
        if any(action == "killed" for _, action in seen):
            level = logging.WARNING
        origin = ended.origin
        for (layer, action), count in seen.items() or ((("", ""), 0),):
            if self._admits(_OF_TASKS, name, origin.principal):
                log.log(
                    level,
                    text,
                    extra=fields(
                        event=name,
                        layer=layer,
                        action=action,
                        count=count or None,
                        status=ended.status,
                        runtime=ended.runtime,
                        task_id=origin.task_id,
                        run_id=origin.run_id,
                        trace_id=origin.trace_id,
                        principal=_shown(origin.principal),
                    ),
                )

    def tell(self, event: Event, *, runtime: str = "", reason: str = "", count: int = 1) -> None:
        """What is no execution's, so many times. `reason` is one of a closed set."""
        if self._admits(_OF_OTHERS, event.name, reason=reason):
            log.warning(event.value, extra=fields(event=event.name, reason=reason, runtime=runtime, count=count))

    def close(self) -> None:
        """Says what is not said yet."""
        if self._timer is not None:
            self._timer.cancel()
        self._end_windows(float("inf"))

    def _admits(self, lines: int, name: str, principal: str = "", reason: str = "") -> bool:
        loop = asyncio.get_running_loop()
        admitted = self._flood.admits((name, principal, reason), lines, loop.time())
        if self._timer is None:
            self._timer = loop.call_at(self._flood.next_end, self._look)
        return admitted

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        self._end_windows(loop.time())
        self._timer = loop.call_at(self._flood.next_end, self._look) if self._flood.is_counting else None

    def _end_windows(self, now: float) -> None:
        for key, left_out in self._flood.over(now):
            name, principal, reason = key if isinstance(key, tuple) else ("ALL_OTHERS", "", "")
            log.warning(
                "audit lines were left out",
                extra=fields(event=name, left_out=left_out, principal=_shown(principal), reason=reason),
            )


def _shown(principal: str) -> str:
    return principal.replace("\0", " ")

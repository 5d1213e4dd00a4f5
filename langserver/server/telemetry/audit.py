"""The audit log: what speaks of an attack, of somebody who should not call, or of a wall that did not hold.

Its logger has a name of its own, so that lines can be told apart wherever logs are sent; LANG_LOG_LEVEL does not
silence it. Nothing of a program is in it: no code, no value, no word that a child said.
"""

from __future__ import annotations

import logging
from collections import Counter
from enum import Enum
from typing import Final

from langserver.core.outcome import ErrorKind
from langserver.server.telemetry.ended import Ended
from operating.access.principal import shown
from operating.access.refusals import ADDRESS
from operating.telemetry.audit import OF_OTHERS, OF_TASKS, AuditLines

LOGGER: Final = "langserver.audit"
CALL_REFUSED: Final = "CALL_REFUSED"

_OUTCOMES: Final = {
    ErrorKind.SANDBOX_VIOLATION: (logging.WARNING, "a layer ended a task"),
    # It may have run native code.
    ErrorKind.CRASHED: (logging.WARNING, "a task's process crashed or broke its protocol"),
    ErrorKind.POLICY_VIOLATION: (logging.INFO, "the policy refused a task"),
}
_SURVIVED: Final = (logging.INFO, "a task was refused something")  # and its program went on, or failed otherwise


class Event(Enum):
    """What is no execution's, with its words."""

    TOKEN_REFUSED = "a call without a valid token was refused"  # noqa: S105 - a sentence
    HANDSHAKE_FAILED = "a client could not connect over TLS"
    SELF_TEST_FAILED = "the self-test failed: the server does not start"
    ZYGOTE_LOST = "a zygote died"
    SEAL_FAILED = "a child could not be sealed"


class Audit:
    """What of the server's telling is worth a line, and its words."""

    def __init__(self) -> None:
        self._lines = AuditLines("langserver")

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
        principal = shown(origin.principal)
        for (layer, action), count in seen.items() or ((("", ""), 0),):
            if self._lines.admits(OF_TASKS, name, principal=principal):
                self._lines.write(
                    level,
                    text,
                    event=name,
                    layer=layer,
                    action=action,
                    count=count or None,
                    status=ended.status,
                    runtime=ended.runtime,
                    task_id=origin.task_id,
                    run_id=origin.run_id,
                    trace_id=origin.trace_id,
                    principal=principal,
                )

    def tell(self, event: Event, *, runtime: str = "", reason: str = "", count: int = 1) -> None:
        """What is no execution's, so many times. `reason` is one of a closed set."""
        if self._lines.admits(OF_OTHERS, event.name, reason=reason):
            self._lines.write(
                logging.WARNING, event.value, event=event.name, reason=reason, runtime=runtime, count=count
            )

    def wants_more(self, whom: str, reason: str) -> None:
        """A call was turned away since there was no more for its caller: `whom` is his principal, or his address.

        Who has no name is told by his host: he chooses the port, and so how many lines there are.
        """
        told = _caller(whom)
        if self._lines.admits(OF_OTHERS, CALL_REFUSED, reason=reason, **told):
            self._lines.write(
                logging.WARNING, "a caller wants more than there is", event=CALL_REFUSED, reason=reason, **told
            )

    def close(self) -> None:
        """Says what is not said yet."""
        self._lines.close()


def _caller(whom: str) -> dict[str, str]:
    if ADDRESS.fullmatch(whom):
        return {"caller": whom.rpartition(":")[0]}
    if whom.startswith("unix:"):  # its path is the caller's to choose
        return {"caller": "a unix socket"}
    return {"principal": shown(whom)}

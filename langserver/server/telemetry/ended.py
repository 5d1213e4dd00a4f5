"""What is told of an execution that has ended."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from langserver.core.outcome import ErrorKind
from langserver.core.verdict import Refusal
from langserver.zygote.job import Outcome

SUCCESS: Final = "SUCCESS"
STATUSES: Final = (
    SUCCESS,
    *(kind.name for kind in ErrorKind if kind is not ErrorKind.UNSPECIFIED),
    *(refusal.name for refusal in Refusal),
)
# W3C Trace Context, section 3.2: version, trace id, parent id, flags; a later version may have more. Not all zeros.
_TRACEPARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?")


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose task it was, in words that he chose himself: for log lines, never for labels."""

    task_id: str = ""
    run_id: str = ""
    traceparent: str = ""
    principal: str = ""

    @property
    def trace_id(self) -> str:
        """Empty where `traceparent` is none."""
        found = _TRACEPARENT.fullmatch(self.traceparent)
        return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class Ended:
    """One execution, or validation. `total_seconds` is from the call's arrival to the end of the child."""

    origin: Origin
    runtime: str
    mode: Literal["run", "validate"]
    outcome: Outcome
    queue_seconds: float
    total_seconds: float

    @property
    def status(self) -> str:
        """One of STATUSES."""
        verdict = self.outcome.verdict
        if verdict.refusal is not None:
            return verdict.refusal.name
        return SUCCESS if verdict.failure is None else verdict.failure.kind.name

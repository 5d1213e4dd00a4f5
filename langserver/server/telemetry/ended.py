"""What is told of an execution that has ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from langserver.core.outcome import ErrorKind
from langserver.core.verdict import Refusal
from langserver.wire.header import Mode
from langserver.zygote.job import Outcome
from operating.traceparent import parse_traceparent

SUCCESS: Final = "SUCCESS"
STATUSES: Final = (
    SUCCESS,
    *(kind.name for kind in ErrorKind if kind is not ErrorKind.UNSPECIFIED),
    *(refusal.name for refusal in Refusal),
)


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
        return self.traceparent[3:35] if parse_traceparent(self.traceparent) else ""


@dataclass(frozen=True, slots=True)
class Ended:
    """One execution, or validation, that came, was admitted and ended at these moments of the loop's clock."""

    origin: Origin
    runtime: str
    mode: Mode
    outcome: Outcome
    came: float
    admitted: float
    ended: float

    @property
    def status(self) -> str:
        """One of STATUSES."""
        verdict = self.outcome.verdict
        if verdict.refusal is not None:
            return verdict.refusal.name
        return SUCCESS if verdict.failure is None else verdict.failure.kind.name

    @property
    def seconds(self) -> float:
        """From the call to the end of the child."""
        return self.ended - self.came

    def phases(self) -> dict[str, float]:
        """Seconds of each phase that it came to; those in the child by the child's word, where it had a last one."""
        moments, verdict, usage = self.outcome.moments, self.outcome.verdict, self.outcome.usage
        found = {"queue": self.admitted - self.came}
        if moments.spawned is not None:
            found["spawn"] = moments.spawned - self.admitted
            if moments.sealed is not None:
                found["seal"] = moments.sealed - moments.spawned
        # A quick child's words come in one piece: by our own clock nothing of it would be compiling.
        if verdict.report is not None:
            found["compile"], found["run"] = usage.compile_seconds, usage.run_seconds
        elif moments.sealed is not None and moments.started is not None:
            found["compile"], found["run"] = moments.started - moments.sealed, self.ended - moments.started
        return found

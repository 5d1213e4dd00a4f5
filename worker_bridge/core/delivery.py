"""One entry's life, from its delivery to what becomes of it: the only place that decides on either.

| what happened | what is done |
| --- | --- |
| it cannot be read | parked |
| not leased: the task has ended, or is at another attempt, or no reason was given | dropped (acked) |
| not leased: somebody holds the lease, or for a reason that this version does not know | set aside; it comes back |
| not leased: no such task, or not this content, or the coordinator refuses the request itself | parked |
| told to stop before it was leased | given back |
| leased | executed; one delivered too often is reported as failed instead |
| executed | reported |
| the report was acknowledged | acked; one delivered too often is parked |
| the report was not acknowledged | left; it comes back |
| the report itself was refused | a short one is sent instead, once; then it is left |
| the coordinator says that the lease is lost | result discarded; acked, if the entry is still ours |
| the lease is over by our own clock | result discarded; left: nobody has said that somebody else has the task |
| cut off at the end of the drain | no report, no ack |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from worker_bridge.core.envelope import Poison, Task
from worker_bridge.core.outcome import Outcome


class Denial(Enum):
    """Why a lease was not granted. UNSPECIFIED is all that a coordinator of the plain rules says."""

    UNSPECIFIED = "unspecified"
    HELD = "held"
    DONE = "done"
    SUPERSEDED = "superseded"
    UNKNOWN_TASK = "unknown task"
    MISMATCH = "not this task's content"
    OTHER = "other"


class Fate(Enum):
    """What becomes of an entry. Only with the first two does it go for good."""

    ACK = "acked"
    ACK_IF_OURS = "acked if still ours"
    PARK = "parked"
    SET_ASIDE = "set aside"
    GIVE_BACK = "given back"
    LEAVE = "left"


# What happens to an entry.


@dataclass(frozen=True, slots=True)
class Granted:
    """The lease is ours."""


@dataclass(frozen=True, slots=True)
class Denied:
    """The lease is not ours."""

    why: Denial


@dataclass(frozen=True, slots=True)
class Refused:
    """The coordinator took offence at the call itself: the same again would end the same."""

    message: str


@dataclass(frozen=True, slots=True)
class Executed:
    """The execution has ended."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Reported:
    """The coordinator has answered a report."""

    acknowledged: bool


@dataclass(frozen=True, slots=True)
class LeaseLost:
    """`told`: by the coordinator, else by our own clock."""

    told: bool


@dataclass(frozen=True, slots=True)
class Stopping:
    """The bridge stops, and the lease was not granted yet."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """The time to drain is over."""


Event = Granted | Denied | Refused | Executed | Reported | LeaseLost | Stopping | CutOff

# What is to be done next.


@dataclass(frozen=True, slots=True)
class Acquire:
    """Ask for the lease."""

    task: Task


@dataclass(frozen=True, slots=True)
class Execute:
    """Have it executed."""

    task: Task


@dataclass(frozen=True, slots=True)
class Report:
    """Tell the coordinator."""

    task: Task
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class End:
    """The entry is out of hand."""

    fate: Fate
    reason: str


Step = Acquire | Execute | Report | End

_DENIALS = {
    Denial.UNSPECIFIED: Fate.ACK,
    Denial.DONE: Fate.ACK,
    Denial.SUPERSEDED: Fate.ACK,
    Denial.HELD: Fate.SET_ASIDE,
    Denial.OTHER: Fate.SET_ASIDE,
    Denial.UNKNOWN_TASK: Fate.PARK,
    Denial.MISMATCH: Fate.PARK,
}
_MESSAGE_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Life:
    """Where one entry stands. Events that cannot happen there are mistakes of ours: AssertionError."""

    step: Step
    exhausted: str = ""
    refused_before: bool = False

    @classmethod
    def begin(cls, parsed: Task | Poison, deliveries: int, most_deliveries: int) -> Life:
        """An entry that was delivered, this time included, `deliveries` times."""
        if isinstance(parsed, Poison):
            return cls(End(Fate.PARK, parsed.reason))
        exhausted = f"delivered {deliveries} times, the limit is {most_deliveries}"
        return cls(Acquire(parsed), exhausted if deliveries > most_deliveries else "")

    def after(self, event: Event) -> Life:
        """Where it stands after `event`."""
        if isinstance(event, CutOff):
            return self._end(Fate.LEAVE, "cut off")
        match self.step:
            case Acquire(task):
                return self._after_acquire(task, event)
            case Execute(task):
                return self._after_execute(task, event)
            case Report(task, _):
                return self._after_report(task, event)
        raise AssertionError(f"{event} after {self.step}")

    def _after_acquire(self, task: Task, event: Event) -> Life:
        match event:
            case Granted() if self.exhausted:
                failure = Outcome.failed("DELIVERED_TOO_OFTEN", self.exhausted, terminal=True)
                return replace(self, step=Report(task, failure))
            case Granted():
                return replace(self, step=Execute(task))
            case Denied(why):
                return self._end(_DENIALS[why], why.value)
            case Refused(message):
                return self._end(Fate.PARK, f"the coordinator refuses it: {message[:_MESSAGE_CHARACTERS]}")
            case Stopping():
                return self._end(Fate.GIVE_BACK, "stopping")
        raise AssertionError(f"{event} after {self.step}")

    def _after_execute(self, task: Task, event: Event) -> Life:
        match event:
            case Executed(outcome):
                return replace(self, step=Report(task, outcome))
            case LeaseLost(told):
                return self._lost(told)
        raise AssertionError(f"{event} after {self.step}")

    def _after_report(self, task: Task, event: Event) -> Life:
        match event:
            case Reported(acknowledged=True) if self.exhausted:
                return self._end(Fate.PARK, self.exhausted)
            case Reported(acknowledged=True):
                return self._end(Fate.ACK, "reported")
            case Refused(message) if not self.refused_before and not self.exhausted:
                text = f"the coordinator refuses the result: {message[:_MESSAGE_CHARACTERS]}"
                return replace(
                    self, step=Report(task, Outcome.failed("INTERNAL", text, terminal=True)), refused_before=True
                )
            case Reported() | Refused():
                return self._end(Fate.LEAVE, "the report was not taken")
            case LeaseLost(told):
                return self._lost(told)
        raise AssertionError(f"{event} after {self.step}")

    def _lost(self, told: bool) -> Life:
        if told and not self.exhausted:
            return self._end(Fate.ACK_IF_OURS, "the lease was lost")
        return self._end(Fate.LEAVE, "the lease was lost" if told else "the lease ran out")

    def _end(self, fate: Fate, reason: str) -> Life:
        return replace(self, step=End(fate, reason))

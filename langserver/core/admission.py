"""May a task run now, wait, or not at all: slots, a bounded queue, deadlines."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum, auto

_FIRST_GUESS_SECONDS = 0.1
_SMOOTHING = 0.2
_RETRY_SECONDS = (0.05, 10.0)


class Answer(Enum):
    """What becomes of an offer."""

    RUN = auto()
    WAIT = auto()
    FULL = auto()


@dataclass(frozen=True, slots=True)
class Freed:
    """What a freed slot leads to: the tickets that run now, and those whose deadline has passed while they waited."""

    run: tuple[Hashable, ...] = ()
    expired: tuple[Hashable, ...] = ()


@dataclass(slots=True)
class Admission:
    """Gives `slots` to tickets in the order they came; at most `queue` wait. Times are monotonic seconds.

    A ticket is any hashable value the shell chooses; it is never looked into.
    """

    slots: int
    queue: int
    _running: int = 0
    _waiting: OrderedDict[Hashable, float | None] = field(default_factory=OrderedDict)
    _typical_seconds: float = _FIRST_GUESS_SECONDS

    @property
    def running(self) -> int:
        """Slots in use."""
        return self._running

    @property
    def waiting(self) -> int:
        """Tickets in the queue."""
        return len(self._waiting)

    def offer(self, ticket: Hashable, deadline: float | None) -> Answer:
        """Takes a slot for `ticket`, or a place in the queue until `deadline`, or says that both are full."""
        if self._running < self.slots:
            self._running += 1
            return Answer.RUN
        if len(self._waiting) >= self.queue:
            return Answer.FULL
        self._waiting[ticket] = deadline
        return Answer.WAIT

    def withdraw(self, ticket: Hashable) -> bool:
        """Takes a waiting ticket out; False when it does not wait (any more)."""
        return self._waiting.pop(ticket, self) is not self

    def release(self, now: float, held_seconds: float) -> Freed:
        """Gives a slot back that was held for `held_seconds`."""
        self._running -= 1
        self._typical_seconds += _SMOOTHING * (held_seconds - self._typical_seconds)
        run: list[Hashable] = []
        expired: list[Hashable] = []
        while self._waiting and self._running < self.slots:
            ticket, deadline = self._waiting.popitem(last=False)
            if deadline is not None and deadline <= now:
                expired.append(ticket)
            else:
                self._running += 1
                run.append(ticket)
        return Freed(tuple(run), tuple(expired))

    def retry_after_seconds(self) -> float:
        """When a refused caller may expect a place: the time the queue needs to lose one entry."""
        low, high = _RETRY_SECONDS
        return min(high, max(low, self._typical_seconds / self.slots))

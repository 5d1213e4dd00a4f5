"""A lease as the worker sees it: by its own clock, and never longer than the coordinator does."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from worker_bridge.core.backoff import Backoff
from worker_bridge.core.timings import Timings


@dataclass(frozen=True, slots=True)
class Lease:
    """Moments are seconds of one monotonic clock. The TTL counts from the moment at which the worker *asked*.

    The coordinator's clock started later, so what has ended here may live on there, and never the other way round.
    """

    fence: int
    attempt: int
    until: float
    renew_at: float
    trouble: Backoff = field(default_factory=Backoff)

    @classmethod
    def granted(cls, fence: int, attempt: int, asked_at: float, timings: Timings) -> Lease:
        """What an acquire that was asked for at `asked_at` gives."""
        return cls(fence, attempt, asked_at + timings.ttl, asked_at + timings.renew_every)

    def renewed(self, asked_at: float, timings: Timings) -> Lease:
        """After a renewal that was asked for at `asked_at`."""
        return Lease.granted(self.fence, self.attempt, asked_at, timings)

    def not_renewed(self, now: float, random: float, timings: Timings) -> Lease:
        """After a renewal without an answer: an error of the call is no loss, it is tried again soon."""
        trouble = self.trouble.failed()
        return replace(self, trouble=trouble, renew_at=now + min(trouble.seconds(random), timings.renew_every))

    def lives(self, now: float) -> bool:
        """Whether the right to execute still holds, whatever was heard since."""
        return now < self.until

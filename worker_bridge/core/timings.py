"""Which moments follow from the settings, and whether they can work together."""

from __future__ import annotations

from dataclasses import dataclass

LEASE_CALL_SECONDS = 5.0
REPORT_CALL_SECONDS = 10.0
# What a language server has to answer in after a task's own time is up.
GRACE_SECONDS = 5


class TimingError(ValueError):
    """Settings that cannot work together; the text names them."""


@dataclass(frozen=True, slots=True)
class Timings:
    """All in seconds."""

    ttl: int
    renew_every: float
    reclaim_every: float
    lease_call: float
    report_call: float
    task_timeout: int
    drain: int

    @classmethod
    def of(cls, ttl: int, task_timeout: int, drain: int) -> Timings:
        """From LEASE_TTL_SECONDS, TASK_TIMEOUT_SECONDS and WORKER_DRAIN_SECONDS. Raises TimingError."""
        if ttl < 1:
            raise TimingError(f"LEASE_TTL_SECONDS is {ttl}: a lease lasts a second at least")
        if task_timeout <= GRACE_SECONDS:
            raise TimingError(
                f"TASK_TIMEOUT_SECONDS is {task_timeout}: a language server needs {GRACE_SECONDS} s of it to "
                f"answer in, so it has to be {GRACE_SECONDS + 1} at least"
            )
        # A long lease is not renewed more often than every 5 s, nor looked for more often than every 10 s.
        renew_every = ttl / 3 if ttl < 15 else max(ttl / 3, 5.0)
        timings = cls(
            ttl=ttl,
            renew_every=renew_every,
            reclaim_every=ttl / 2 if ttl < 20 else max(ttl / 2, 10.0),
            lease_call=min(LEASE_CALL_SECONDS, renew_every),
            report_call=REPORT_CALL_SECONDS,
            task_timeout=task_timeout,
            drain=drain,
        )
        # One renewal may be lost, and a second one still comes in time.
        assert 2 * timings.renew_every + timings.lease_call <= ttl + 1e-9
        return timings

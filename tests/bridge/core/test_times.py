"""Timings, leases and waits: all moments are arguments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker_bridge.core.backoff import Backoff
from worker_bridge.core.lease import Lease
from worker_bridge.core.timings import TimingError, Timings


@pytest.mark.parametrize(
    ("ttl", "renew", "reclaim"),
    [
        (90, 30, 45),
        (60, 20, 30),
        (30, 10, 15),
        (20, 20 / 3, 10),
        (15, 5, 7.5),
        (12, 4, 6),
        (3, 1, 1.5),
        (1, 1 / 3, 0.5),
    ],
)
def test_renewal_at_a_third_and_reclaim_at_half_of_the_ttl(ttl: int, renew: float, reclaim: float) -> None:
    timings = Timings.of(ttl, 90, 30)
    assert (timings.renew_every, timings.reclaim_every) == (renew, reclaim)


@given(st.integers(1, 3600), st.integers(6, 86_400))
def test_a_renewal_may_be_lost_and_the_next_still_comes_in_time(ttl: int, task_timeout: int) -> None:
    timings = Timings.of(ttl, task_timeout, 0)
    assert 2 * timings.renew_every + timings.lease_call <= ttl + 1e-9
    assert ttl < 15 or timings.renew_every >= 5
    assert ttl < 20 or timings.reclaim_every >= 10
    assert timings.lease_call <= 5
    assert timings.report_call == 10


@pytest.mark.parametrize(("ttl", "task_timeout"), [(0, 90), (-1, 90), (90, 5), (90, 0)])
def test_timings_that_cannot_work_together_are_refused(ttl: int, task_timeout: int) -> None:
    with pytest.raises(TimingError, match="SECONDS is"):
        Timings.of(ttl, task_timeout, 30)


def test_a_lease_ends_a_ttl_after_the_last_renewal_was_asked_for() -> None:
    timings = Timings.of(90, 90, 30)
    lease = Lease.granted(7, 1, 1000.0, timings)
    assert (lease.renew_at, lease.until, lease.fence) == (1030.0, 1090.0, 7)
    assert lease.lives(1089.9)
    assert not lease.lives(1090.0)
    later = lease.renewed(1030.0, timings)
    assert (later.renew_at, later.until, later.fence) == (1060.0, 1120.0, 7)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_failed_renewals_prolong_nothing_and_are_tried_again_soon(randoms: list[float]) -> None:
    timings = Timings.of(90, 90, 30)
    lease = Lease.granted(7, 1, 1000.0, timings)
    now = lease.renew_at
    for random in randoms:
        lease = lease.not_renewed(now, random, timings)
        assert lease.until == 1090.0
        assert 0.049 < lease.renew_at - now < 5.001
        now = lease.renew_at
    assert lease.renewed(now, timings).trouble == Backoff()


def test_waits_double_from_a_tenth_of_a_second_to_five() -> None:
    backoff, waits = Backoff(), []
    for _ in range(9):
        backoff = backoff.failed()
        waits.append(backoff.seconds(0.0))
    assert waits == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]
    assert backoff.seconds(1.0) == 2.5

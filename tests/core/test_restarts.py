"""When a zygote is started in place of one that died."""

from __future__ import annotations

from langserver.core.restarts import LONGEST_SECONDS, SETTLED_SECONDS, SHORTEST_SECONDS, Restarts


def after(times: int) -> Restarts:
    """So many died as soon as they had started."""
    now = Restarts()
    for _ in range(times):
        now = now.lost(tasks=0, since=100.0, now=100.0).tried()
    return now


def test_the_first_is_started_at_once_and_each_one_after_it_later():
    assert [after(times).delay_seconds for times in range(4)] == [0.0, SHORTEST_SECONDS, 0.1, 0.2]
    assert after(1000).delay_seconds == LONGEST_SECONDS


def test_one_that_lived_long_enough_or_served_makes_up_for_all_before():
    just_before = 100.0 + SETTLED_SECONDS - 0.001
    assert after(5).lost(tasks=0, since=100.0, now=just_before) == after(5)
    assert after(5).lost(tasks=0, since=100.0, now=100.0 + SETTLED_SECONDS) == Restarts()
    assert after(5).lost(tasks=1, since=100.0, now=100.0) == Restarts()

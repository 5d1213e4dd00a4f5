"""The arithmetic of `make bench`."""

from __future__ import annotations

import statistics
from itertools import pairwise

import pytest

from bench.calls import arrivals
from bench.measure import Row, Unit, at_least, at_most, event_rates, growth, loop_rates, summarize
from bench.noise import Moment, busy_ticks, others_cores

MILLISECOND = 1_000_000


def test_summary_of_known_samples() -> None:
    summary = summarize(Row("x", tuple(number * MILLISECOND for number in range(1, 101))))
    assert summary.count == 100
    assert summary.unit == "ms"
    assert summary.median == 50.5
    assert summary.p99 == 99
    assert summary.noise == pytest.approx(50.5 / 50.5)


def test_sizes_are_shown_in_mebibytes_and_rates_as_they_are() -> None:
    assert summarize(Row("size", (3 << 20,), unit=Unit.SIZE)).median == 3
    assert summarize(Row("rate", (400.0, 500.0), unit=Unit.RATE)).median == 450


def test_one_sample_has_no_noise() -> None:
    summary = summarize(Row("x", (7 * MILLISECOND,)))
    assert (summary.median, summary.p99, summary.noise) == (7, 7, 0)


def test_a_target_holds_on_its_own_side_and_at_its_bound() -> None:
    assert [at_most(1.5).met(value) for value in (1.4, 1.5, 1.6)] == [True, True, False]
    assert [at_least(0.7).met(value) for value in (0.6, 0.7, 0.8)] == [False, True, True]


def test_rates_of_loops_side_by_side_add_up() -> None:
    fast, slow = (MILLISECOND,) * 20, (4 * MILLISECOND,) * 10
    assert loop_rates([fast, slow], parts=2) == pytest.approx((1250, 1250))


def test_a_slow_stretch_of_a_loop_is_in_one_part_alone() -> None:
    assert loop_rates([(MILLISECOND,) * 5 + (10 * MILLISECOND,) * 5], parts=2) == pytest.approx((1000, 100))


def test_rates_of_events_count_every_event_once() -> None:
    moments = [0, 1, 2, 3, 4, 8]  # in two stretches of four: 0 to 3, and 4 and 8
    assert event_rates([moment * MILLISECOND for moment in moments], parts=2) == pytest.approx((1000, 500))


def test_growth_of_a_line_and_of_a_square() -> None:
    line = growth([(10, 2.0), (100, 11.0), (1000, 101.0)])
    assert line.each == pytest.approx(0.1)
    assert 0.9 < line.exponent < 1
    assert growth([(10, 1.0), (100, 100.0)]).exponent == pytest.approx(2)


def test_arrivals_are_the_same_each_time_and_as_many_as_asked_for() -> None:
    moments = arrivals(200, 50)
    assert moments == arrivals(200, 50)
    assert list(moments) == sorted(moments)
    assert len(moments) == pytest.approx(10_000, rel=0.05)
    gaps = [later - sooner for sooner, later in pairwise(moments)]
    assert statistics.stdev(gaps) == pytest.approx(1 / 200, rel=0.1), "gaps of even length would hide queues"


def test_one_call_arrives_at_least() -> None:
    assert len(arrivals(0.01, 0.001)) == 1


def test_others_are_what_was_busy_less_our_own() -> None:
    start = Moment(at_seconds=100, busy_seconds=1000, own_seconds=50, load=0)
    assert others_cores(start, Moment(110, 1015, 55, 0)) == pytest.approx(1.0)
    assert others_cores(start, Moment(110, 1004, 55, 0)) == 0, "ticks are coarse"


def test_busy_is_all_but_idle_and_waiting_and_guests_are_not_counted_twice() -> None:
    stat = "cpu  1 20 300 4000 50000 600000 7000000 80000000 900000000 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n"
    assert busy_ticks(stat) == 1 + 20 + 300 + 600000 + 7000000 + 80000000


def test_this_moment_is_of_this_machine() -> None:
    start = Moment.now()
    sum(range(3_000_000))
    end = Moment.now()
    assert end.own_seconds > start.own_seconds > 0
    assert end.busy_seconds >= start.busy_seconds > 0

"""The decision table, row by row."""

from __future__ import annotations

import pytest

from tests.bridge.tasks import a_task
from worker_bridge.core.delivery import (
    Acquire,
    CutOff,
    Denial,
    Denied,
    End,
    Event,
    Execute,
    Executed,
    Fate,
    Granted,
    LeaseLost,
    Life,
    Refused,
    Report,
    Reported,
    Stopping,
)
from worker_bridge.core.envelope import Poison
from worker_bridge.core.outcome import Outcome

TASK = a_task()
DONE = Executed(Outcome(completed=True, output=b"1"))


def life(*events: Event, deliveries: int = 1) -> Life:
    one = Life.begin(TASK, deliveries, 5)
    for event in events:
        one = one.after(event)
    return one


def fate(one: Life) -> Fate:
    assert isinstance(one.step, End), one
    return one.step.fate


def test_the_way_of_an_ordinary_entry() -> None:
    assert life().step == Acquire(TASK)
    assert life(Granted()).step == Execute(TASK)
    assert life(Granted(), DONE).step == Report(TASK, DONE.outcome)
    assert fate(life(Granted(), DONE, Reported(acknowledged=True))) is Fate.ACK


def test_poison_is_parked_and_never_asked_about() -> None:
    assert Life.begin(Poison("why"), 99, 5).step == End(Fate.PARK, "why")


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        (Denial.UNSPECIFIED, Fate.ACK),
        (Denial.DONE, Fate.ACK),
        (Denial.SUPERSEDED, Fate.ACK),
        (Denial.HELD, Fate.SET_ASIDE),
        (Denial.OTHER, Fate.SET_ASIDE),
        (Denial.UNKNOWN_TASK, Fate.PARK),
        (Denial.MISMATCH, Fate.PARK),
    ],
)
@pytest.mark.parametrize("deliveries", [1, 99])
def test_not_leased(why: Denial, expected: Fate, deliveries: int) -> None:
    assert fate(life(Denied(why), deliveries=deliveries)) is expected


def test_a_request_that_the_coordinator_refuses_is_parked() -> None:
    assert fate(life(Refused("x" * 9999))) is Fate.PARK
    assert len(life(Refused("x" * 9999)).step.reason) < 1100  # type: ignore[union-attr]


def test_stopping_gives_back_what_is_not_leased() -> None:
    assert fate(life(Stopping())) is Fate.GIVE_BACK


@pytest.mark.parametrize("before", [(), (Granted(),), (Granted(), DONE)])
@pytest.mark.parametrize("deliveries", [1, 6])
def test_cut_off_neither_reports_nor_acks(before: tuple[Event, ...], deliveries: int) -> None:
    if deliveries == 6:
        before = before[:1]
    assert fate(life(*before, CutOff(), deliveries=deliveries)) is Fate.LEAVE


@pytest.mark.parametrize("before", [(Granted(),), (Granted(), DONE)])
def test_a_lost_lease(before: tuple[Event, ...]) -> None:
    assert fate(life(*before, LeaseLost(told=True))) is Fate.ACK_IF_OURS
    assert fate(life(*before, LeaseLost(told=False))) is Fate.LEAVE


def test_a_report_that_is_not_acknowledged_leaves_the_entry() -> None:
    assert fate(life(Granted(), DONE, Reported(acknowledged=False))) is Fate.LEAVE


def test_a_refused_report_is_replaced_once() -> None:
    again = life(Granted(), DONE, Refused("too large"))
    assert isinstance(again.step, Report)
    assert again.step.outcome == Outcome(
        completed=False, error="INTERNAL: the coordinator refuses the result: too large", terminal=True
    )
    assert fate(again.after(Reported(acknowledged=True))) is Fate.ACK
    assert fate(again.after(Refused("no"))) is Fate.LEAVE


@pytest.mark.parametrize(("deliveries", "too_often"), [(5, False), (6, True)])
def test_delivered_too_often(deliveries: int, too_often: bool) -> None:
    leased = life(Granted(), deliveries=deliveries)
    assert isinstance(leased.step, Report) is too_often
    if too_often:
        assert leased.step.outcome.terminal  # type: ignore[union-attr]
        assert fate(leased.after(Reported(acknowledged=True))) is Fate.PARK
        for failing in (Reported(acknowledged=False), Refused("no"), LeaseLost(told=True), LeaseLost(told=False)):
            assert fate(leased.after(failing)) is Fate.LEAVE


@pytest.mark.parametrize(
    ("before", "event"),
    [
        ((), DONE),
        ((), Reported(acknowledged=True)),
        ((), LeaseLost(told=True)),
        ((Granted(),), Granted()),
        ((Granted(),), Stopping()),
        ((Granted(), DONE), DONE),
        ((Stopping(),), Granted()),
    ],
)
def test_what_cannot_happen_is_a_mistake(before: tuple[Event, ...], event: Event) -> None:
    with pytest.raises(AssertionError):
        life(*before).after(event)

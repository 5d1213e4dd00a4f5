"""Who runs, who waits, who is sent away: the pure rules."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from langserver.core.admission import Admission, Answer, Freed


def test_slots_first_then_the_queue_then_nothing():
    admission = Admission(slots=2, queue=1)
    answers = [admission.offer(ticket, None) for ticket in "abcd"]
    assert answers == [Answer.RUN, Answer.RUN, Answer.WAIT, Answer.FULL]
    assert (admission.running, admission.waiting) == (2, 1)


def test_without_a_queue_the_second_is_refused():
    admission = Admission(slots=1, queue=0)
    assert admission.offer("a", None) is Answer.RUN
    assert admission.offer("b", None) is Answer.FULL


def test_who_came_first_runs_first():
    admission = Admission(slots=1, queue=3)
    for ticket in "abcd":
        admission.offer(ticket, None)
    assert [admission.release(0.0, 0.1).run for _ in range(4)] == [("b",), ("c",), ("d",), ()]
    assert admission.running == 0


def test_a_deadline_that_passed_in_the_queue_costs_no_slot():
    admission = Admission(slots=1, queue=3)
    admission.offer("runs", None)
    admission.offer("late", 10.0)
    admission.offer("exactly late", 11.0)
    admission.offer("in time", 12.0)
    assert admission.release(11.0, 1.0) == Freed(run=("in time",), expired=("late", "exactly late"))
    assert (admission.running, admission.waiting) == (1, 0)


def test_who_withdraws_is_not_called():
    admission = Admission(slots=1, queue=2)
    for ticket in "abc":
        admission.offer(ticket, None)
    assert admission.withdraw("b") is True
    assert admission.withdraw("b") is False
    assert admission.withdraw("a") is False  # it runs
    assert admission.release(0.0, 0.1).run == ("c",)


def test_the_hint_follows_how_long_tasks_take():
    admission = Admission(slots=4, queue=0)
    for _ in range(100):
        admission.offer("a", None)
        admission.release(0.0, 8.0)
    assert 1.9 < admission.retry_after_seconds() < 2.1


def test_the_hint_has_bounds():
    quick, slow = Admission(slots=1000, queue=0), Admission(slots=1, queue=0)
    for _ in range(100):
        slow.offer("a", None)
        slow.release(0.0, 300.0)
    assert quick.retry_after_seconds() == 0.05
    assert slow.retry_after_seconds() == 10.0


@given(
    slots=st.integers(1, 4),
    queue=st.integers(0, 4),
    steps=st.lists(st.tuples(st.sampled_from(["offer", "release", "withdraw"]), st.integers(0, 9)), max_size=60),
)
def test_slots_are_neither_lost_nor_invented(slots, queue, steps):
    admission = Admission(slots, queue)
    running, waiting = set(), []
    for ticket, (step, number) in enumerate(steps):
        if step == "offer":
            deadline = float(number) if number % 2 else None
            match admission.offer(ticket, deadline):
                case Answer.RUN:
                    running.add(ticket)
                case Answer.WAIT:
                    waiting.append(ticket)
                case Answer.FULL:
                    assert len(running) == slots
                    assert len(waiting) == queue
        elif step == "release" and running:
            running.pop()
            freed = admission.release(5.0, 0.1)
            waiting = [left for left in waiting if left not in freed.run + freed.expired]
            running.update(freed.run)
        elif step == "withdraw" and waiting:
            left = waiting.pop(number % len(waiting))
            assert admission.withdraw(left)
        assert (admission.running, admission.waiting) == (len(running), len(waiting))
        assert not waiting or len(running) == slots

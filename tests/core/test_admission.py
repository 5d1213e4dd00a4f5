"""Who runs, who waits, who is sent away: the pure rules."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from langserver.core.admission import Admission, Answer, Freed, Offered
from langserver.core.fairness import HORIZON_SECONDS, Whose

ANN = Whose("ann")


def offer(admission, ticket, deadline=None, whose=ANN, now=0.0):
    return admission.offer(ticket, whose, deadline, now)


def test_slots_first_then_the_queue_then_nothing():
    admission = Admission(slots=2, queue=1)
    answers = [offer(admission, ticket) for ticket in "abcd"]
    assert answers == [Offered(Answer.RUN), Offered(Answer.RUN), Offered(Answer.WAIT), Offered(Answer.FULL)]
    assert (admission.running, admission.waiting) == (2, 1)


def test_without_a_queue_the_second_is_refused():
    admission = Admission(slots=1, queue=0)
    assert offer(admission, "a").answer is Answer.RUN
    assert offer(admission, "b") == offer(admission, "c", whose=Whose("bob")) == Offered(Answer.FULL)


def test_who_came_first_runs_first():
    admission = Admission(slots=1, queue=3)
    for ticket in "abcd":
        offer(admission, ticket)
    assert [admission.release(ticket, 1.0).run for ticket in "abcd"] == [("b",), ("c",), ("d",), ()]
    assert admission.running == 0


def test_a_deadline_that_passed_in_the_queue_costs_no_slot():
    admission = Admission(slots=1, queue=3)
    for ticket, deadline in (("runs", None), ("late", 10.0), ("exactly late", 11.0), ("in time", 12.0)):
        offer(admission, ticket, deadline)
    assert admission.release("runs", 11.0) == Freed(run=("in time",), expired=("late", "exactly late"))
    assert (admission.running, admission.waiting) == (1, 0)


def test_who_withdraws_is_not_called():
    admission = Admission(slots=1, queue=2)
    for ticket in "abc":
        offer(admission, ticket)
    assert admission.withdraw("b") is True
    assert admission.withdraw("b") is False
    assert admission.withdraw("a") is False  # it runs
    assert admission.release("a", 0.0).run == ("c",)


def test_the_hint_follows_how_long_tasks_take():
    admission = Admission(slots=4, queue=0)
    for now in range(0, 800, 8):
        offer(admission, now, now=now)
        admission.release(now, now + 8.0)
    assert 1.9 < admission.retry_after_seconds() < 2.1


def test_the_hint_has_bounds():
    quick, slow = Admission(slots=1000, queue=0), Admission(slots=1, queue=0)
    for now in range(0, 30_000, 300):
        offer(slow, now, now=now)
        slow.release(now, now + 300.0)
    assert quick.retry_after_seconds() == 0.05
    assert slow.retry_after_seconds() == 10.0


@given(
    slots=st.integers(1, 4),
    queue=st.integers(0, 6),
    steps=st.lists(
        st.tuples(
            st.sampled_from(["offer", "offer", "offer", "release", "release", "withdraw", "look"]),
            st.integers(0, 9),
            st.integers(0, 5),
        ),
        max_size=80,
    ),
)
def test_slots_are_neither_lost_nor_invented(slots, queue, steps):
    """Whoever comes and goes: what is free is given away, one slot only to who has none; what waits is known, and
    tickets of one kind keep order.
    """
    admission = Admission(slots, queue)
    running, waiting, whose_is = [], {}, {}  # ticket to whose
    most_are_used = max(slots - 1, 1) if queue else slots
    now = 0.0

    def take(freed):
        for called in sorted(freed.run + freed.expired):
            of = waiting.pop(called)
            assert called < min((n for n, other in waiting.items() if other == of), default=len(steps))
        running.extend(freed.run)

    for ticket, (step, number, kind) in enumerate(steps):
        now += 0.1
        whose = whose_is[ticket] = Whose(f"p{kind % 3}", f"t{kind // 3}")
        if step == "offer":
            offered = offer(admission, ticket, now + number if number % 2 else None, whose, now)
            take(offered.freed)
            if offered.answer is Answer.RUN:
                assert whose not in waiting.values()
                running.append(ticket)
            elif offered.answer is Answer.WAIT:
                assert len(running) >= most_are_used
                if offered.evicted is not None:
                    assert len(waiting) == queue
                    of = waiting.pop(offered.evicted)
                    assert offered.evicted > max((n for n, other in waiting.items() if other == of), default=-1)
                waiting[ticket] = whose
            else:
                assert len(running) >= most_are_used
                assert len(waiting) == queue
        elif step == "release" and running:
            take(admission.release(running.pop(number % len(running)), now))
        elif step == "withdraw" and waiting:
            left = sorted(waiting)[number % len(waiting)]
            del waiting[left]
            assert admission.withdraw(left)
        elif step == "look":
            now += 10.0 * number
            take(admission.look(now))
            if number * 10.0 > HORIZON_SECONDS:
                assert not admission.keeps_a_slot  # nobody is expected any more
        assert (admission.running, admission.waiting) == (len(running), len(waiting))
        assert admission.keeps_a_slot == (bool(waiting) and len(running) < slots)
        assert len(waiting) <= queue
        assert not waiting or len(running) >= most_are_used
        if admission.keeps_a_slot:
            served = {whose_is[one].principal for one in running}
            assert all(of.principal in served for of in waiting.values())


@given(slots=st.integers(1, 4), queue=st.integers(1, 12), steps=st.lists(st.booleans(), max_size=200))
def test_who_waits_has_at_most_the_queue_before_him(slots, queue, steps):
    """What bounds the wait of an accepted call, however many come and are sent away."""
    admission = Admission(slots, queue)
    running, begun, accepted = [], 0, {}
    for ticket, comes in enumerate(steps):
        if comes:
            answer = offer(admission, ticket, now=float(ticket)).answer
            if answer is Answer.RUN:
                running.append(ticket)
            elif answer is Answer.WAIT:
                accepted[ticket] = begun
        elif running:
            for called in admission.release(running.pop(0), float(ticket)).run:
                assert begun - accepted[called] < queue
                begun += 1
                running.append(called)

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from worker_bridge.core.intake import Grant, Intake


def test_a_reader_is_given_its_share_of_what_is_free() -> None:
    intake = Intake(10)
    intake.ask("a")
    assert intake.grant() == Grant("a", 10)
    intake.give_back(10)
    intake.ask("a")
    intake.ask("b", most=2)
    assert intake.grant() == Grant("a", 5)
    assert intake.grant() == Grant("b", 2)
    assert intake.in_hand == 7


def test_readers_take_turns() -> None:
    intake = Intake(1)
    turns = []
    for name in "abc":
        intake.ask(name)
    for _ in range(9):
        grant = intake.grant()
        assert grant is not None
        assert intake.grant() is None
        turns.append(grant.reader)
        intake.ask(grant.reader)  # it has more
        intake.give_back(1)
    assert "".join(turns) == "abcabcabc"


def test_who_withdraws_gets_nothing() -> None:
    intake = Intake(1)
    intake.ask("a")
    intake.withdraw("a")
    assert intake.grant() is None
    assert intake.in_hand == 0


@given(st.integers(1, 5), st.lists(st.integers(0, 3) | st.just("free"), max_size=60))
def test_never_more_than_the_slots_and_nobody_is_passed_over(slots: int, events: list) -> None:
    intake = Intake(slots)
    held: list[int] = []
    asking: list[str] = []
    for event in events:
        if event == "free":
            if held:
                intake.give_back(held.pop())
        elif str(event) not in asking:
            intake.ask(str(event))
            asking.append(str(event))
        while grant := intake.grant():
            assert grant.reader == asking.pop(0)
            assert grant.count >= 1
            held.append(grant.count)
        assert sum(held) == intake.in_hand <= slots
        assert not (asking and intake.free)

"""What is said again and again is said once a minute."""

from __future__ import annotations

from operating.telemetry.repeats import EVERY_SECONDS, Repeats


def test_the_same_is_said_once_in_a_while_with_how_often_it_was_not() -> None:
    repeats = Repeats()
    assert repeats.say("away", 0.0) == 0
    assert [repeats.say("away", now) for now in (0.1, 1.0, EVERY_SECONDS - 0.1)] == [None] * 3
    assert repeats.say("away", EVERY_SECONDS) == 3
    assert repeats.say("away", EVERY_SECONDS + 1) is None
    assert repeats.say("away", 2 * EVERY_SECONDS) == 1


def test_another_sentence_is_said_at_once() -> None:
    repeats = Repeats()
    assert (repeats.say("away", 0.0), repeats.say("wrong password", 0.0)) == (0, 0)


def test_whoever_chooses_his_words_fills_no_log() -> None:
    repeats = Repeats()
    said = [repeats.say(f"{number}", 0.0) for number in range(10_000)]
    assert len(said) - said.count(None) <= 65

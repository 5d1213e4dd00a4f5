"""The order in which a child may speak."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langserver.core.claims import LogClaim, Report, SecurityClaim
from langserver.wire.channel import FORM_BYTES, LOG_LINE_COST, MAX_EVENTS
from langserver.wire.conversation import Conversation
from langserver.wire.frames import HEAD, Kind, encode
from langserver.wire.report import encode_event, encode_log, encode_report

SAID = {
    "sealed": encode(Kind.SEALED),
    "started": encode(Kind.STARTED),
    "bad_input": encode(Kind.BAD_INPUT, b"no JSON"),
    "log": encode(Kind.LOG, encode_log(LogClaim("stdout", "hello"))),
    "cut": encode(Kind.LOGS_TRUNCATED),
    "event": encode(Kind.EVENT, encode_event(SecurityClaim("audit", "denied", "open"))),
    "report": encode(Kind.REPORT, encode_report(Report(output=b"1"))),
    "compiled": encode(Kind.COMPILED, b"form"),
}


def conversation(log_bytes: int = 1000, wants_form: bool = False) -> Conversation:
    return Conversation(output_bytes=100, log_bytes=log_bytes, wants_form=wants_form)


def hear_handing_on(heard: Conversation, words: tuple[str, ...]) -> None:
    """As a server does: whoever waits for the rest of the task gets it."""
    for word in words:
        heard.hear(SAID[word])
        if heard.waits:
            heard.hand_on()


def is_in_order(words: tuple[str, ...]) -> bool:
    """The grammar, written down a second time: sealed event* (bad_input | started (log|cut|event)* report?)."""
    text = " ".join(words)
    import re

    return bool(re.fullmatch(r"(sealed( event)*( bad_input| started( log| cut| event)*( report)?)?)?", text)) and not (
        words.count("cut") > 1 or ("cut" in words and "log" in words[words.index("cut") :])
    )


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_every_order_of_frames_is_judged_by_the_grammar(length: int) -> None:
    for words in itertools.product(SAID, repeat=length):
        heard = conversation()
        heard.hear(b"".join(SAID[word] for word in words))
        assert (heard.broken is None) == is_in_order(words), words


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_a_form_that_is_asked_for_may_come_once_before_the_start(length: int) -> None:
    for words in itertools.product(SAID, repeat=length):
        heard = conversation(wants_form=True)
        hear_handing_on(heard, words)
        rest = tuple(word for word in words if word != "compiled")
        before = words[: words.index("compiled")] if "compiled" in words else ("sealed", "event")
        in_time = before[:1] == ("sealed",) and set(before[1:]) <= {"event"}
        asked_more = "compiled" not in words and "bad_input" in words  # it cannot know its input yet
        may = words.count("compiled") <= 1 and in_time and not asked_more and is_in_order(rest)
        assert (heard.broken is None) == may, words
        assert (heard.form is None) or in_time, words


@pytest.mark.parametrize("word", [word for word in SAID if word != "compiled"])
def test_a_child_that_has_compiled_says_nothing_before_it_has_its_input(word: str) -> None:
    heard = conversation(wants_form=True)
    heard.hear(SAID["sealed"] + SAID["compiled"] + SAID[word])
    assert heard.broken == f"a {word_kind(word)} frame before it had its input"
    assert not heard.waits


def word_kind(word: str) -> str:
    return Kind(SAID[word][0]).name


def test_nor_half_a_word() -> None:
    heard = conversation(wants_form=True)
    heard.hear(SAID["sealed"] + SAID["compiled"] + SAID["started"][:-1])
    assert heard.broken == "bytes before it had its input"
    assert not heard.waits


def test_a_form_waits_until_it_is_whole() -> None:
    heard = conversation(wants_form=True)
    heard.hear(SAID["sealed"] + SAID["compiled"][:-1])
    assert (heard.form, heard.waits, heard.broken) == (None, False, None)
    heard.hear(SAID["compiled"][-1:])
    assert (heard.form, heard.waits) == (b"form", True)
    heard.hand_on()
    assert not heard.waits
    heard.hear(SAID["started"] + SAID["report"])
    assert (heard.broken, heard.over) == (None, True)


def test_a_form_over_its_cap_breaks_the_protocol_by_its_length() -> None:
    heard = conversation(wants_form=True)
    heard.hear(SAID["sealed"] + HEAD.pack(Kind.COMPILED, FORM_BYTES + 1))
    assert heard.broken == f"a COMPILED frame of {FORM_BYTES + 1} bytes is over its cap of {FORM_BYTES}"


def test_a_form_that_nobody_asked_for_is_not_accepted() -> None:
    heard = conversation()
    heard.hear(SAID["sealed"] + SAID["compiled"])
    assert (heard.form, heard.broken) == (None, "a frame of kind 23 is not accepted here")


def test_what_an_honest_child_says_is_kept() -> None:
    heard = conversation()
    logs = heard.hear(b"".join(SAID[w] for w in ("sealed", "started", "log", "event", "report")))
    assert logs == [LogClaim("stdout", "hello")]
    assert heard.events == [SecurityClaim("audit", "denied", "open")]
    assert heard.report == Report(output=b"1")
    assert (heard.sealed, heard.started, heard.over) == (True, True, True)


def test_bad_input_is_no_start() -> None:
    heard = conversation()
    heard.hear(SAID["sealed"] + SAID["bad_input"])
    assert (heard.bad_input, heard.started, heard.over) == ("no JSON", False, True)


def test_a_log_line_within_the_budget_is_taken_and_one_over_it_breaks_the_protocol() -> None:
    cost = len("hello") + LOG_LINE_COST
    heard = conversation(log_bytes=2 * cost)
    heard.hear(SAID["sealed"] + SAID["started"])
    assert len(heard.hear(SAID["log"] * 2)) == 2
    assert heard.hear(SAID["log"]) == []
    assert heard.broken == "logs over their limit"


def test_events_are_capped() -> None:
    heard = conversation()
    heard.hear(SAID["sealed"] + SAID["event"] * MAX_EVENTS)
    heard.hear(SAID["event"])
    assert heard.broken == "more than 64 events"


@pytest.mark.parametrize("last", ["report", "bad_input"])
def test_not_a_byte_may_follow_the_last_word(last: str) -> None:
    heard = conversation()
    heard.hear(SAID["sealed"] + (SAID["started"] if last == "report" else b""))
    heard.hear(SAID[last] + b"x")
    assert heard.broken == "bytes after its last word"


def test_an_output_over_the_limit_is_heard_out_so_that_it_can_be_named() -> None:
    heard = conversation()
    heard.hear(SAID["sealed"] + SAID["started"] + encode(Kind.REPORT, encode_report(Report(output=b"1" * 150))))
    assert heard.report is not None
    assert len(heard.report.output) == 150


@given(st.lists(st.one_of(st.sampled_from(sorted(SAID.values())), st.binary(max_size=40)), max_size=12), st.booleans())
def test_no_bytes_crash_it(pieces: list[bytes], wants_form: bool) -> None:
    heard = conversation(wants_form=wants_form)
    for piece in pieces:
        heard.hear(piece)


def test_what_came_before_a_break_counts_in_the_same_read_too() -> None:
    """A child that is sealed must not look as if it were not: that is told from the exit codes of the jail's steps."""
    heard = conversation()
    assert heard.hear(SAID["sealed"] + SAID["started"] + SAID["log"] + b"\xff" * 5) == [LogClaim("stdout", "hello")]
    assert (heard.sealed, heard.started, heard.broken) == (True, True, "a frame of kind 255 is not accepted here")

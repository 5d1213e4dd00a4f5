"""The judge itself: what counts as a win of the attacker."""

from __future__ import annotations

from dataclasses import replace

import pytest

from langserver.core.outcome import ErrorKind
from langserver.core.verdict import MIB, Refusal
from langserver.sandbox.layers import LAYERS, POLICY
from tests.security.suite.attack import Ends, Judged, Limits, load
from tests.security.suite.judge import Ending, judge

ALL = frozenset(LAYERS)
PLAIN = replace(load()[0], judged=Judged.RESULT, ends=Ends.ANYHOW, limits=None, parses=True, believed="", code="")
LIMITED = replace(PLAIN, judged=Judged.OUTLIVES, limits=Limits(timeout_seconds=2, memory_mb=128))
SUCCESS = Ending(None, None, "", "", b'{"escaped": false}', (), 0.1, MIB)
ESCAPED = replace(SUCCESS, output=b'{"escaped": true}')


def failed(kind: ErrorKind, message: str = "", **more: object) -> Ending:
    return replace(SUCCESS, kind=kind, message=message, output=b"", **more)


def refused(refusal: Refusal) -> Ending:
    return replace(SUCCESS, refusal=refusal, output=b"")


WON = {
    "it says so": (PLAIN, ESCAPED),
    "it says so with anything true": (PLAIN, replace(SUCCESS, output=b'{"escaped": [1]}')),
    "no strict JSON": (PLAIN, replace(SUCCESS, output=b'{"a": NaN}')),
    "no JSON": (PLAIN, replace(SUCCESS, output=b"{")),
    "the server lost it": (PLAIN, refused(Refusal.UNAVAILABLE)),
    "a fault of the server": (PLAIN, failed(ErrorKind.INTERNAL)),
    "a fault of the server, in an attack on it": (replace(PLAIN, judged=Judged.UPSETS), failed(ErrorKind.INTERNAL)),
    "an unspecified end": (PLAIN, failed(ErrorKind.UNSPECIFIED)),
    "sound source is no syntax error": (PLAIN, failed(ErrorKind.SYNTAX_ERROR)),
    "a path of ours in the message": (PLAIN, failed(ErrorKind.USER_ERROR, "see /usr/lib/python3.11/json")),
    "a path of ours in the traceback": (PLAIN, failed(ErrorKind.USER_ERROR, traceback="File langserver/core")),
    "a forged field": (replace(PLAIN, believed="TIMEOUT"), failed(ErrorKind.TIMEOUT)),
    "another end than the row admits": (replace(PLAIN, ends=Ends.REFUSED), failed(ErrorKind.CRASHED)),
    "late": (LIMITED, failed(ErrorKind.TIMEOUT, seconds=4.1)),
    "peak over the limit": (LIMITED, failed(ErrorKind.MEMORY_LIMIT, peak_bytes=161 * MIB)),
    "success at the limit": (LIMITED, replace(SUCCESS, peak_bytes=126 * MIB)),
    "a huge answer": (PLAIN, replace(SUCCESS, log=("x" * (5 * MIB),))),
    "out of memory as its own error": (replace(LIMITED, ends=Ends.LIMIT), failed(ErrorKind.USER_ERROR, "MemoryError")),
}
CONTAINED = {
    "it failed to": (PLAIN, SUCCESS),
    "a refusal": (PLAIN, failed(ErrorKind.POLICY_VIOLATION)),
    "a kill": (PLAIN, failed(ErrorKind.SANDBOX_VIOLATION)),
    "the child's own crash": (PLAIN, failed(ErrorKind.CRASHED)),
    "the caller's fault": (PLAIN, refused(Refusal.INVALID_ARGUMENT)),
    "its own result, in an attack on the server": (replace(PLAIN, judged=Judged.UPSETS), ESCAPED),
    "an early end, in an attack on a limit": (LIMITED, ESCAPED),
    "the limit": (LIMITED, failed(ErrorKind.TIMEOUT, seconds=3.9, peak_bytes=159 * MIB)),
    "what does not parse": (replace(PLAIN, parses=False), failed(ErrorKind.SYNTAX_ERROR)),
}


@pytest.mark.parametrize("case", WON)
def test_won(case: str) -> None:
    attack, ending = WON[case]
    assert judge(attack, ending, None, ALL).won


@pytest.mark.parametrize("case", CONTAINED)
def test_contained(case: str) -> None:
    attack, ending = CONTAINED[case]
    assert judge(attack, ending, None, ALL).won == ""


def test_a_second_result_counts_and_not_the_first() -> None:
    twice = replace(PLAIN, judged=Judged.SECOND_RESULT)
    assert judge(twice, ESCAPED, SUCCESS, ALL).won
    assert not judge(twice, SUCCESS, ESCAPED, ALL).won


def test_two_fresh_tasks_must_differ() -> None:
    same = replace(PLAIN, judged=Judged.SAME_TWICE)
    assert judge(same, SUCCESS, SUCCESS, ALL).won
    assert not judge(same, SUCCESS, replace(SUCCESS, output=b"[0.5]"), ALL).won


def test_only_what_load_or_a_neighbour_may_have_done_is_tried_again() -> None:
    assert judge(LIMITED, failed(ErrorKind.TIMEOUT, seconds=9), None, ALL).shaken
    assert judge(PLAIN, refused(Refusal.UNAVAILABLE), None, ALL).shaken
    assert not judge(PLAIN, ESCAPED, None, ALL).shaken


def test_without_policy_a_text_may_tell_of_the_host() -> None:
    ending = failed(ErrorKind.USER_ERROR, "/usr/lib")
    assert not judge(PLAIN, ending, None, ALL - {POLICY}).won
    assert judge(replace(PLAIN, judged=Judged.SHOWS_HOST), ending, None, ALL - {POLICY}).won


def test_the_wall_has_answered() -> None:
    kinds = {kind for kind in ErrorKind if judge(LIMITED, failed(kind), None, ALL).answered}
    limits = {ErrorKind.TIMEOUT, ErrorKind.CPU_LIMIT, ErrorKind.MEMORY_LIMIT, ErrorKind.OUTPUT_LIMIT}
    assert kinds == {*limits, ErrorKind.CRASHED}

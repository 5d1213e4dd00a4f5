"""What is kept of a report: what cannot be kept never keeps a task from ending."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coordinator.core.bounds import ERROR_CHARACTERS, LOGS_BYTES, OUTPUT_BYTES
from coordinator.core.letters import read_letter
from coordinator.core.report import Report, admitted

DONE = Report(
    run_id="r",
    task_id="t",
    attempt=1,
    owner="w",
    fence=1,
    completed=True,
    terminal=False,
    output=b'{"a": 1}',
    error="",
    error_json=b"",
    logs_json=b'[{"stream": "stdout", "text": "hi", "at_seconds": 0.1}]',
)
FAILED = replace(DONE, completed=False, output=b"", error="USER_ERROR: no (a.py:3)", error_json=b'{"line": 3}')


def test_a_good_report_is_kept_as_it_is():
    assert admitted(DONE) == DONE
    assert admitted(FAILED) == FAILED


def test_no_output_is_null():
    assert admitted(replace(DONE, output=b"")).output == b"null"


@pytest.mark.parametrize(
    ("output", "kind"),
    [
        (b"{", "INVALID_RESULT"),
        (b"NaN", "INVALID_RESULT"),
        (b"\xff", "INVALID_RESULT"),
        (b" " * (OUTPUT_BYTES + 1), "OUTPUT_LIMIT"),
    ],
)
def test_an_output_that_cannot_be_kept_ends_the_task_as_failed(output, kind):
    kept = admitted(replace(DONE, output=output))

    assert not kept.completed
    assert kept.terminal
    assert kept.error.startswith(f"{kind}: ")
    assert kept.output == b""


def test_a_long_error_is_cut_and_a_nul_is_replaced():
    assert len(admitted(replace(FAILED, error="x" * 10**6)).error) == ERROR_CHARACTERS
    assert admitted(replace(FAILED, error="a\0b")).error == "a\ufffdb"


@pytest.mark.parametrize("logs", [b"{}", b"[", b"text", b"[" + b" " * LOGS_BYTES + b"]"])
def test_logs_that_are_no_array_or_too_large_are_left_out(logs):
    kept = admitted(replace(DONE, logs_json=logs))

    assert (kept.logs_json, kept.completed) == (b"", True)


@pytest.mark.parametrize("error", [b"[]", b"{", b"1"])
def test_an_error_that_is_no_object_is_left_out(error):
    assert admitted(replace(FAILED, error_json=error)).error_json == b""


@pytest.mark.parametrize(
    "fields",
    [
        {"task_id": "t", "run_id": "r", "attempt": "2", "reason": "why", "origin": "tasks:js:0 1-0"},
        {"payload": '{"task_id": "t", "run_id": "r", "attempt": 2}', "reason": "why", "origin": "tasks:js:0 1-0"},
    ],
)
def test_a_dead_letter_is_read_in_both_forms(fields):
    letter = read_letter("tasks:js:0:dead", "5-0", fields)

    assert (letter.run_id, letter.task_id, letter.attempt) == ("r", "t", 2)
    assert (letter.reason, letter.origin) == ("why", "tasks:js:0 1-0")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"payload": "[" * 100_000},
        {"payload": '{"task_id": "\\ud800"}'},
        {"payload": "{"},
        {"payload": "[]"},
        {"payload": '{"task_id": ["x"], "attempt": "99999999999999"}'},
        {"attempt": "\u0661", "task_id": ""},
    ],
)
def test_a_dead_letter_that_cannot_be_read_is_empty(fields):
    letter = read_letter("s", "1-0", fields)

    assert (letter.run_id, letter.task_id, letter.attempt) == ("", "", 0)


def test_a_dead_letter_s_text_is_bounded_and_can_be_sent():
    letter = read_letter("s", "1-0", {"reason": "x" * 10**6, "payload": '{"task_id": "' + "y" * 10**6 + '"}'})

    assert len(letter.reason) == 1_000
    assert letter.task_id == "y" * 1_000

"""What may be submitted, and what a refusal says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coordinator.core.bounds import INPUT_BYTES
from coordinator.core.json_text import fault
from coordinator.core.submission import Submitted, checked
from coordinator.errors import InvalidRequest

TASK = Submitted(
    run_id="r",
    task_id="t",
    node_id="",
    node_type="node",
    workflow_id="",
    workflow_version="",
    input_json=b'{"code": "1"}',
    max_attempts=0,
    queue="",
    traceparent="",
)


def test_what_is_left_out_has_a_default():
    task = checked(TASK, default_attempts=3)

    assert (task.content.node_id, task.queue, task.max_attempts) == ("t", "js", 3)
    assert checked(replace(TASK, input_json=b""), 3).content.input_json == b"{}"


@pytest.mark.parametrize(
    "text", ["x" * 60_000, "00-\r\n", f"00-{'0' * 32}-{'b' * 16}-01", f"00-{'a' * 32}-{'b' * 16}-01 "]
)
def test_a_traceparent_that_is_none_is_left_out(text):
    good = f"00-{'a' * 32}-{'b' * 16}-00"

    assert checked(replace(TASK, traceparent=text), 3).content.traceparent == ""
    assert checked(replace(TASK, traceparent=good), 3).content.traceparent == good


def test_the_input_s_text_stays_as_it_is():
    text = b'{ "n": 123456789012345678901234567890.10 , "a":[ ] }'

    assert checked(replace(TASK, input_json=text), 3).content.input_json == text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"run_id": ""}, "run_id is required"),
        ({"task_id": "x" * 257}, "task_id has 257 bytes: at most 256"),
        ({"task_id": "a\nb"}, "task_id holds characters that are not printable"),
        ({"node_id": "a\x00"}, "node_id holds characters"),
        ({"node_type": ""}, "node_type is required"),
        ({"node_type": "py thon"}, "node_type may hold letters"),
        ({"queue": "a*b"}, "queue may hold letters"),
        ({"workflow_id": "\u202e"}, "workflow_id holds characters"),
        ({"max_attempts": -1}, "max_attempts is -1"),
        ({"max_attempts": 1001}, "max_attempts is 1001"),
        ({"input_json": b" " * (INPUT_BYTES + 1)}, f"at most {INPUT_BYTES}"),
        ({"input_json": b"{'a': 1}"}, "input is no JSON text"),
        ({"input_json": b'{"a": "\\ud83d"}'}, r"input is no JSON text: \\ud83d at byte 7 is half of a surrogate pair"),
        ({"input_json": b'{"a": NaN}'}, "input is no JSON text"),
    ],
)
def test_refused(change, said):
    with pytest.raises(InvalidRequest, match=said.replace("(", r"\(")):
        checked(replace(TASK, **change), 3)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[1,]",
        b"01",
        b"1 2",
        b'"\xff"',
        b'"a\nb"',
        b'"\\ud8"',
        b'"\\ud800"',
        b"nan",
        b"[" * 201 + b"]" * 201,
        b"[" * 99999,
    ],
)
def test_is_no_json_text(text):
    assert fault(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        b"null",
        b" [1.50, {}] ",
        b"[" * 200 + b"]" * 200,
        b'["' + b"[" * 500 + b'"]',
        b"[[],[]," * 150 + b"1" + b"]" * 150,
    ],
)
def test_is_a_json_text(text):
    import json

    json.loads(text)
    assert fault(text) is None

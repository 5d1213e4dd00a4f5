from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bridge.tasks import a_task, fields, raw
from worker_bridge.core.digest import task_digest
from worker_bridge.core.envelope import MAX_ENTRY_BYTES, MAX_ENTRY_FIELDS, Poison, Task, parse_entry

TASK = a_task(traceparent="00-" + "a" * 32 + "-" + "b" * 16 + "-01", input='{"code": "1",  "input": [1.0]}')


def payload(**different: object) -> dict[bytes, bytes]:
    held = {**fields(TASK), **different}
    return {b"payload": json.dumps(held).encode()}


def test_fields_one_by_one() -> None:
    assert parse_entry(raw(fields(TASK))) == TASK


def test_fields_as_one_payload() -> None:
    assert parse_entry(payload()) == TASK


def test_a_payload_may_hold_the_input_and_the_attempt_themselves() -> None:
    text = json.dumps({**fields(TASK), "attempt": 7, "input": None})
    text = text.replace('"input": null', '"input":  {"code": "1",  "input": [1.0]} ')
    parsed = parse_entry({b"payload": text.encode()})
    assert isinstance(parsed, Task)
    assert (parsed.attempt, parsed.input) == (7, TASK.input)


def test_what_may_be_missing() -> None:
    parsed = parse_entry({b"task_id": b"t", b"run_id": b"r", b"node_type": b"js", b"more": b"ignored"})
    assert parsed == Task("t", "r", "", "js", "", "", 1, "{}")


@pytest.mark.parametrize(
    "text", ["evil\r\nheader: 1", f"00-{'0' * 32}-{'b' * 16}-01", f"ff-{'a' * 32}-{'b' * 16}-01", "0" * 100_000]
)
def test_a_trace_that_is_none_is_left_out(text: str) -> None:
    parsed = parse_entry(raw({**fields(TASK), "traceparent": text}))
    assert isinstance(parsed, Task)
    assert parsed.traceparent == ""


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({}, "task_id is missing"),
        (raw({**fields(TASK), "run_id": ""}), "run_id is missing"),
        (raw({**fields(TASK), "node_type": ""}), "node_type is missing"),
        (raw({**fields(TASK), "task_id": "x" * 257}), "257 characters"),
        (raw({**fields(TASK), "node_id": "a\nb"}), "node_id holds a character"),
        (raw({**fields(TASK), "node_id": "\x1b[2J"}), "node_id holds a character"),
        (raw({**fields(TASK), "attempt": "0"}), "attempt is '0'"),
        (raw({**fields(TASK), "attempt": "-1"}), "attempt is '-1'"),
        (raw({**fields(TASK), "attempt": "1.0"}), "attempt is '1.0'"),
        (raw({**fields(TASK), "attempt": "\u0661"}), "attempt is"),
        (raw({**fields(TASK), "attempt": "9" * 4000}), "attempt is"),
        (raw({**fields(TASK), "attempt": "2147483648"}), "attempt is"),
        ({**raw(fields(TASK)), b"node_id": b"\xff"}, "not UTF-8"),
        ({b"\xff": b"", **raw(fields(TASK))}, "not UTF-8"),
        ({b"payload": b"[]"}, "payload: Expected"),
        ({b"payload": b'{"task_id": "x"'}, "payload:"),
        ({b"payload": b"[" * 100_000}, "payload: "),
        (payload(task_id=1), "payload: task_id: Expected `str`"),
        (payload(attempt=True), "attempt is"),
        (payload(node_id="\ud800"), "payload: node_id: "),
        (payload(input="\ud800"), "payload: input: "),
        ({str(n).encode(): b"" for n in range(MAX_ENTRY_FIELDS + 1)}, "33 fields"),
        ({b"task_id": b"x" * (MAX_ENTRY_BYTES + 1)}, "bytes, more than"),
    ],
)
def test_poison(entry: dict[bytes, bytes], words: str) -> None:
    parsed = parse_entry(entry)
    if words == "attempt is" and isinstance(parsed, Task):  # a value that is no attempt counts as not given
        assert parsed.attempt == 1
        return
    assert isinstance(parsed, Poison)
    assert words in parsed.reason
    assert len(parsed.reason) < 500


@given(st.dictionaries(st.binary(max_size=20) | st.sampled_from([b"payload", b"task_id", b"input"]), st.binary()))
def test_any_bytes_are_a_task_or_poison(entry: dict[bytes, bytes]) -> None:
    assert isinstance(parse_entry(entry), Task | Poison)


@given(st.text())
def test_any_payload_is_a_task_or_poison(text: str) -> None:
    assert isinstance(parse_entry({b"payload": text.encode(errors="surrogatepass")}), Task | Poison)


def test_the_digest_is_what_the_contract_says() -> None:
    # Computed by hand from the comment in proto/coordinator.proto.
    task = Task("t", "r", "n", "python", "w", "1", 2, '{"é": 1}')
    import hashlib

    parts = [b"r", b"t", b"n", b"python", b"w", b"2", '{"é": 1}'.encode()]
    assert task_digest(task) == hashlib.sha256(b"".join(len(p).to_bytes(8, "big") + p for p in parts)).digest()
    assert len(task_digest(task)) == 32


@pytest.mark.parametrize("name", ["run_id", "task_id", "node_id", "node_type", "workflow_id", "input"])
def test_the_digest_binds_each_part(name: str) -> None:
    from dataclasses import replace

    assert task_digest(replace(TASK, **{name: "other"})) != task_digest(TASK)
    assert task_digest(replace(TASK, attempt=2)) != task_digest(TASK)
    assert task_digest(replace(TASK, node_id="a", node_type="bc")) != task_digest(
        replace(TASK, node_id="ab", node_type="c")
    )

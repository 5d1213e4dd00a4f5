from __future__ import annotations

import json

import pytest

from langserver.pb import lang_pb2 as pb
from worker_bridge.executors.answers import MAX_LOGS_BYTES, outcome_of

TERMINAL = {"SYNTAX_ERROR", "POLICY_VIOLATION", "INVALID_RESULT", "SANDBOX_VIOLATION", "OUTPUT_LIMIT"}


def test_success() -> None:
    lines = [pb.LogLine(stream="stdout", text="grüß", at_seconds=0.5)]
    outcome = outcome_of(pb.ExecuteResponse(success=True, output_json='{"a":"ü"}', logs=lines), "")
    assert (outcome.status, outcome.output, outcome.error) == ("completed", '{"a":"ü"}'.encode(), "")
    assert json.loads(outcome.logs_json) == [{"stream": "stdout", "text": "grüß", "at_seconds": 0.5}]


@pytest.mark.parametrize("name", pb.ErrorKind.keys())
def test_each_kind_is_terminal_or_left_to_the_retries(name: str) -> None:
    error = pb.ExecuteError(kind=pb.ErrorKind.Value(name), message="no", line=3)
    outcome = outcome_of(pb.ExecuteResponse(error=error), "a.py")
    kind = name.removeprefix("ERROR_KIND_")
    assert outcome.status == "failed"
    assert outcome.error == f"{kind}: no (a.py:3)"
    assert outcome.terminal is (kind in TERMINAL)


def test_a_kind_of_a_later_server_is_left_to_the_retries() -> None:
    outcome = outcome_of(pb.ExecuteResponse(error=pb.ExecuteError(kind=99, message="no")), "")  # type: ignore[arg-type]
    assert (outcome.error, outcome.terminal) == ("INTERNAL: no", False)


def test_the_error_goes_along_as_proto_json() -> None:
    error = pb.ExecuteError(kind=pb.ERROR_KIND_USER_ERROR, message="no", type="ValueError", line=2, column=4, hint="ü")
    held = json.loads(outcome_of(pb.ExecuteResponse(error=error), "").error_json)
    assert held == {
        "kind": "ERROR_KIND_USER_ERROR", "message": "no", "type": "ValueError", "line": 2, "column": 4, "hint": "ü",
    }  # fmt: skip


def test_what_a_program_says_is_bounded() -> None:
    error = pb.ExecuteError(kind=pb.ERROR_KIND_USER_ERROR, message="m" * 10**6, traceback="t" * 10**6, line=1)
    lines = [pb.LogLine(stream="stdout", text="\x00" * 1000) for _ in range(1000)]
    outcome = outcome_of(pb.ExecuteResponse(error=error, logs=lines), "f" * 10**6)
    assert len(outcome.error) < 10_000
    assert len(outcome.error_json) < 100_000
    assert len(outcome.logs_json) < MAX_LOGS_BYTES + 200
    logs = json.loads(outcome.logs_json)
    assert logs[0]["text"] == "\x00" * 1000
    assert logs[-1] == {
        "stream": "worker", "text": f"{1000 - len(logs) + 1} more lines are left out", "at_seconds": 0.0,
    }  # fmt: skip


def test_lines_that_the_server_left_out_are_told() -> None:
    logs = json.loads(outcome_of(pb.ExecuteResponse(success=True, logs_truncated=True), "").logs_json)
    assert [line["text"] for line in logs] == ["more lines are left out"]

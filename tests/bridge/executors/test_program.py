from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker_bridge.executors.program import BadProgram, Program, parse_program


def test_everything() -> None:
    text = (
        '{"code": "return 1", "input": {"n": 1.50}, "filename": "a.py", "timeout_seconds": 2.5, "timezone": "UTC",'
        ' "seed": -3, "limits": {"memory_mb": 64, "cpu_seconds": 0}, "more": 1}'
    )
    assert parse_program(text) == Program(
        "return 1", '{"n": 1.50}', "a.py", 3, "UTC", -3, {"memory_mb": 64, "cpu_seconds": 0}
    )


def test_the_code_is_enough() -> None:
    assert parse_program('{"code": ""}') == Program("")
    assert parse_program('{"code": "1", "input": null, "seed": null, "limits": null, "filename": null}') == Program("1")


@pytest.mark.parametrize("text", ["1", '"text"', "[1, 2]", "true", "123456789012345678901234567890"])
def test_an_input_is_any_json_value(text: str) -> None:
    assert parse_program(f'{{"code": "", "input": {text}}}').input_json == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the task's input"),
        ("[]", "the task's input"),
        ("{}", "code is missing"),
        ('{"code": 1}', "code: Expected"),
        ('{"code": "\\ud800"}', r"code: \\ud800 at byte 1 is half of a surrogate pair"),
        ('{"code": "", "filename": "a\\udc00"}', r"filename: \\udc00 at byte 2 is half of a surrogate pair"),
        ('{"code": "", "filename": 1}', "filename: Expected"),
        ('{"code": "", "timezone": []}', "timezone: Expected"),
        ('{"code": "", "timeout_seconds": -1}', "timeout_seconds: "),
        ('{"code": "", "timeout_seconds": true}', "timeout_seconds: "),
        ('{"code": "", "timeout_seconds": 1e400}', "timeout_seconds: "),
        ('{"code": "", "timeout_seconds": "5"}', "timeout_seconds: "),
        ('{"code": "", "seed": 1.5}', "seed: "),
        ('{"code": "", "seed": 9223372036854775808}', "seed: "),
        ('{"code": "", "limits": []}', "limits: Expected"),
        ('{"code": "", "limits": {"disk": 1}}', "there is no 'disk'"),
        ('{"code": "", "limits": {"memory_mb": -1}}', "memory_mb|limits"),
        ('{"code": "", "limits": {"memory_mb": true}}', "memory_mb|limits"),
        ('{"code": "", "input": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    ],
)
def test_what_cannot_be_executed_is_said(text: str, words: str) -> None:
    with pytest.raises(BadProgram, match=words):
        parse_program(text)


@given(
    st.text()
    | st.dictionaries(st.sampled_from(["code", "input", "seed", "limits"]), st.text() | st.integers()).map(json.dumps)
)
def test_any_text_is_a_program_or_a_bad_one(text: str) -> None:
    try:
        parse_program(text)
    except BadProgram:
        pass

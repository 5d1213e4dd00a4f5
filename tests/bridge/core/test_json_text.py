from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker_bridge.core.json_text import MAX_DEPTH, members

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), VALUES), st.sampled_from([None, 1, "\t"]), st.booleans())
def test_members_are_what_json_says_and_their_text_is_the_texts(held: dict, indent: object, ascii_only: bool) -> None:
    text = json.dumps(held, indent=indent, ensure_ascii=ascii_only)
    found = members(f" {text}\n")
    assert {name: member.value for name, member in found.items()} == held
    assert {name: json.loads(member.text) for name, member in found.items()} == held
    assert all(member.text in text for member in found.values())


def test_numbers_and_spaces_stay_as_they_were_written() -> None:
    text = '{"a" : [ 1.50,  1e400 ], "b":123456789012345678901234567890}'
    assert [member.text for member in members(text).values()] == [
        "[ 1.50,  1e400 ]", "123456789012345678901234567890",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected '{'"),
        ("[]", "expected '{'"),
        ("{", "Expecting value"),
        ('{"a"}', "expected ':'"),
        ('{"a":}', "Expecting value"),
        ('{"a":1,}', "Expecting value"),
        ('{"a":1 "b":2}', "expected '}'"),
        ('{"a":1}x', "something comes after"),
        ("{1:1}", "a key is no string"),
        ('{"a":1,"a":2}', "twice"),
        ('{"a":NaN}', "NaN is not JSON"),
        ('{"a":-Infinity}', "not JSON"),
        ('{"a":"\n"}', "control character"),
        ('{"a":01}', "expected '}'"),
        ('{"a":"\\', "Unterminated"),
        ('{"a":' + "9" * 5000 + "}", "digits"),
    ],
)  # fmt: skip
def test_what_is_no_object_is_said(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        members(text)


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 1_000_000])
@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_bounded_before_anything_is_parsed(depth: int, opens: str, closes: str) -> None:
    with pytest.raises(ValueError, match=f"nested over {MAX_DEPTH} deep"):
        members('{"a":' + opens * depth + "1" + closes * depth + "}")


def test_brackets_in_strings_are_not_depth() -> None:
    text = json.dumps({"a": '[{\\"' * 10_000})
    assert members(text)["a"].value == '[{\\"' * 10_000


def test_a_large_text_takes_time_in_proportion() -> None:
    def seconds(size: int) -> float:
        text = json.dumps({"a": '\\"' * size})
        started = time.process_time()
        members(text)
        return time.process_time() - started

    seconds(1000)
    assert seconds(1_600_000) < 40 * max(seconds(100_000), 0.001)

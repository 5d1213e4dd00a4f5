from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker_bridge.core.json_text import Members, value

AB = Members("a", "b")

VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(
    st.dictionaries(st.sampled_from("abcde"), VALUES),
    st.dictionaries(st.text(), VALUES),
    st.sampled_from([None, 1, "\t"]),
    st.booleans(),
)
def test_members_are_what_json_says_and_their_text_is_the_texts(
    held: dict, more: dict, indent: object, ascii_only: bool
) -> None:
    whole = more | held
    text = json.dumps(whole, indent=indent, ensure_ascii=ascii_only)
    found = AB.of(f" {text}\n")
    assert {name: json.loads(member) for name, member in found.items()} == {n: whole[n] for n in "ab" if n in whole}
    assert all(member in text for member in found.values())


def test_numbers_and_spaces_stay_as_they_were_written() -> None:
    text = '{"a" : [ 1.50,  1e400 ], "b":123456789012345678901234567890, "c": null}'
    assert AB.of(text) == {"a": "[ 1.50,  1e400 ]", "b": "123456789012345678901234567890"}


@given(st.lists(st.sampled_from(["\\ud83d", "\\uDE00", "\\\\", "\\n", "\\u0041", "u", "d83d", '\\"', "x", "\ufdd0"])))
def test_half_of_a_pair_stays_as_it_was_written(pieces: list[str]) -> None:
    text = '["' + "".join(pieces) + '"]'
    assert AB.of(f'{{"a": {text}, "b": 1}}') == {"a": text, "b": "1"}


@pytest.mark.parametrize("cut", ["\\u", "\\ud8", "\\ud8zz", "\\u\\ud800", "\\x\\ud800"])
def test_an_escape_that_is_none_is_refused_beside_half_of_a_pair(cut: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        AB.of(f'{{"a": "\\ud800", "b": "{cut}"}}')


def test_half_of_a_pair_beside_very_many_escapes_is_refused_and_named() -> None:
    with pytest.raises(ValueError, match=r"^\\ud83d at byte 600006 is half of a surrogate pair"):
        AB.of('{"a":"' + "\\u0041" * 100_000 + '\\ud83d"}')


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}', '{"a":1}x', "{1:1}", '{"a":NaN}', '{"a":-Infinity}',
     '{"a":"\n"}', '{"a":01}', '{"a":"\\', '{"a":[1,]}', '{"a":{"b"}}'],
)  # fmt: skip
def test_what_is_no_object_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        AB.of(text)


@pytest.mark.parametrize("depth", [100_000, 5_000_000])
@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"a":', "}")])
def test_no_depth_does_harm(depth: int, opens: str, closes: str) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        AB.of('{"a":' + opens * depth + "1" + closes * depth + "}")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1", str),
        ('"1"', int),
        ("true", int),
        ("1.5", int),
        ("1e400", float),
        ('"\\ud800"', str),
        ("[" * 100_000, dict),
    ],
)
def test_a_value_is_of_its_kind(text: str, kind: type) -> None:
    with pytest.raises(ValueError, match=r"."):
        value(text, kind)
    assert value("7", int) == 7


@pytest.mark.parametrize("piece", ["[],", '"",', "1,", '{"a":[]},'])
def test_nothing_is_built_of_a_member_that_nobody_asked_for(piece: str) -> None:
    def grown(count: int) -> int:
        text = '{"a":[' + piece * count + "1]}"
        with open("/proc/self/clear_refs", "w") as peak:
            peak.write("5")
        before = _peak()
        assert len(AB.of(text)["a"]) == len(text) - 6
        return _peak() - before

    assert grown(1_000_000) < 40 << 10  # KiB; a million lists would be 56 MiB and their list 8


def _peak() -> int:
    with open("/proc/self/status") as status:
        found = re.search(r"VmHWM:\s+(\d+)", status.read())
    assert found is not None
    return int(found[1])

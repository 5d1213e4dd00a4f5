"""The checks of a request that need no child."""

from __future__ import annotations

import pytest

from langserver.errors import RequestError
from langserver.limits import Asked, Ceilings
from langserver.zygote.request import TaskRequest, canonical_runtime, make_job


def job(**changes):
    fields = {"runtime": "python", "code": "return 1", **changes}
    return make_job(TaskRequest(**fields), Ceilings(code_bytes=100, input_bytes=200), "run")


def message(**changes):
    with pytest.raises(RequestError) as caught:
        job(**changes)
    return str(caught.value)


@pytest.mark.parametrize(("alias", "name"), [("python", "python"), ("js", "js"), ("javascript", "js"), ("node", "js")])
def test_aliases(alias, name):
    assert canonical_runtime(alias) == name


@pytest.mark.parametrize("name", ["", "Python", "ruby", "python ", "py\0thon", "é" * 10_000])
def test_an_unknown_runtime_is_named_and_cut(name):
    text = message(runtime=name)
    assert text.startswith("unknown runtime ")
    assert "expected one of javascript, js, node, python" in text
    assert len(text) < 300


def test_no_code():
    assert "there is no code" in message(code="")


def test_the_limit_of_the_code_counts_bytes():
    assert job(code="é" * 50).source == ("é" * 50).encode()
    assert message(code="é" * 50 + "x") == "the code has 101 bytes, the limit is 100 (LANG_CODE_BYTES)"


def test_the_limit_of_the_input():
    assert job(input_json="1" * 200).input == b"1" * 200
    assert message(input_json="1" * 201) == "input_json has 201 bytes, the limit is 200 (LANG_INPUT_BYTES)"


def test_a_lone_surrogate_is_no_text():
    assert "lone surrogate at character 1" in message(code="a\ud800")
    assert "lone surrogate at character 0" in message(input_json="\udfff")


def test_the_zone_is_known_and_goes_along():
    assert job(timezone="Europe/Berlin").header.zone == "Europe/Berlin"
    assert job().header.zone == "UTC"


@pytest.mark.parametrize(
    "zone", ["Mars/Olympus", ":/etc/passwd", "../../etc/passwd", "/etc/localtime", "localtime", "UTC\0"]
)
def test_an_unknown_zone(zone):
    assert message(timezone=zone).startswith("unknown timezone ")


@pytest.mark.parametrize("seed", [None, 0, -1, 2**63 - 1])
def test_the_seed_goes_along(seed):
    assert job(seed=seed).header.seed == seed


def test_the_label_is_one_short_printable_line():
    assert job().header.label == "task.py"
    assert job(runtime="node").header.label == "task.js"
    assert job(filename="a\nb\x1b[31m.py").header.label == "ab[31m.py"
    assert len(job(filename="x" * 5000).header.label) == 128


def test_limits_reach_the_header():
    made = job(asked=Asked(output_bytes=7, log_bytes=9))
    assert (made.header.output_bytes, made.header.log_bytes) == (7, 9)


def test_a_negative_limit():
    assert "memory_mb is -5" in message(asked=Asked(memory_mb=-5))

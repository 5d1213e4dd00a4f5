"""Compiled forms in sealed children: made and read under every layer, and by nobody once user code runs."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest

from tests.sandbox.watching import WatchedZygote
from tests.security.layers import KERNEL_LAYERS

LAYERS = f"audit,{KERNEL_LAYERS}"
# As plain CPython, where the module can be had.
READS = """
import marshal
def main():
    try:
        return marshal.loads(b"i\\x07\\x00\\x00\\x00")
    except PermissionError:
        return "refused"
"""
PROGRAM = "import json\ndef main(n):\n    print(n)\n    return json.dumps([n])\n"
REFUSED = ["audit", "denied", "marshal.loads"]


@pytest.fixture(scope="module")
def plain() -> Iterator[WatchedZygote]:
    zygote = WatchedZygote("python", LAYERS)
    yield zygote
    zygote.close()


@pytest.fixture(scope="module")
def guarded() -> Iterator[WatchedZygote]:
    zygote = WatchedZygote("python", f"policy,{LAYERS}")
    yield zygote
    zygote.close()


def test_no_layer_stands_in_their_way(guarded: WatchedZygote) -> None:
    first = guarded.run(PROGRAM, inputs={"n": 3}, form="")
    again = guarded.run(PROGRAM, inputs={"n": 3}, form=first["form"])
    for ran in (first, again):
        assert (ran["output"], ran["events"], ran["failures"]) == ('"[3]"', [], [])
    assert first["kinds"] == ["SEALED", "COMPILED", "STARTED", "LOG", "REPORT"]
    assert again["kinds"] == ["SEALED", "STARTED", "LOG", "REPORT"]


@pytest.mark.parametrize("way", ["no form", "asked for one", "given one"])
def test_user_code_reads_none(plain: WatchedZygote, way: str) -> None:
    form = {} if way == "no form" else {"form": ""}
    ran = plain.run(READS, **form)
    if way == "given one":
        ran = plain.run(READS, form=ran["form"])
    assert ran["output"] == '"refused"'
    assert REFUSED in ran["events"]


def test_it_could_where_the_hook_was_not_told_of_its_start(plain: WatchedZygote) -> None:
    ran = plain.run(READS, forget=True)
    assert (ran["output"], ran["events"]) == ("7", [])


def test_a_form_that_unpacks_into_gigabytes_is_out_of_memory(guarded: WatchedZygote) -> None:
    bomb = b"(" + (400_000_000).to_bytes(4, "little") + b"N" * 10
    ran = guarded.run(PROGRAM, form=base64.b64encode(bomb).decode(), memory_mib=64)
    assert [failure[0] for failure in ran["failures"]] == ["MEMORY_LIMIT"]


@pytest.mark.parametrize("junk", [b"x", b"\xff" * 100, b"(\x01\x00\x00\x00" * 5000, b"c" + bytes(200)])
def test_a_child_with_a_form_that_is_none_ends_and_says_nothing(guarded: WatchedZygote, junk: bytes) -> None:
    ran = guarded.run(PROGRAM, form=base64.b64encode(junk).decode())
    assert ran["kinds"] == ["SEALED"]
    assert (ran["exit"] or ran["signal"]) != 0

"""W3C Trace Context, version 00, or nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operating.traceparent import Place, parse_traceparent

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.mark.parametrize(("flags", "sampled"), [("00", False), ("01", True), ("02", False), ("ff", True)])
def test_a_place(flags: str, sampled: bool) -> None:
    assert parse_traceparent(f"00-{TRACE}-{SPAN}-{flags}") == Place(int(TRACE, 16), int(SPAN, 16), sampled)


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"00-{TRACE}-{SPAN}-01\n",
        f" 00-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01-00",
        f"00-{TRACE}-{SPAN}-1",
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE[1:]}-{SPAN}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"01-{TRACE}-{SPAN}-01",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{TRACE[:-1]}\u0661-{SPAN}-01",
        f"00_{TRACE}_{SPAN}_01",
        "0" * 100_000,
    ],
)
def test_what_is_none(text: str) -> None:
    assert parse_traceparent(text) is None


@given(st.integers(1, 2**128 - 1), st.integers(1, 2**64 - 1), st.booleans())
def test_what_is_written_is_read(trace: int, span: int, sampled: bool) -> None:
    place = Place(trace, span, sampled)
    assert re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]", str(place))
    assert parse_traceparent(str(place)) == place

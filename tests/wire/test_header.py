"""The header of a task, as bytes."""

from __future__ import annotations

import pytest

from langserver.wire.header import TaskHeader


@pytest.mark.parametrize("seed", [None, 0, 1, -1, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("label", ["task.js", "", "\u00e4 b\u20ac.py"])
def test_a_header_is_read_as_it_was_written(seed: int | None, label: str) -> None:
    header = TaskHeader("validate", "America/Argentina/Buenos_Aires", seed, label, 0, 2**40, "given")
    assert TaskHeader.decode(header.encode()) == header
    assert TaskHeader.decode(TaskHeader("run", "UTC", seed, label, 1, 2).encode()).form == "none"

"""What figures say of the control group's memory."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from langserver.server.cgroups import Group
from langserver.server.telemetry.memory import GroupMemory

UNIFIED = ("memory.current", "memory.max")
VERSION_1 = ("memory.usage_in_bytes", "memory.limit_in_bytes")


def group(folder: Path, files: tuple[str, str], held: str, bound: str) -> Group:
    folder.mkdir()
    for name, text in zip(files, (held, bound), strict=True):
        (folder / name).write_text(text + "\n")
    return Group(files is UNIFIED, folder)


@pytest.mark.parametrize(
    ("files", "none"), [(UNIFIED, "max"), (VERSION_1, "9223372036854771712")], ids=["version 2", "version 1"]
)
def test_it_is_of_the_closest_group_with_a_limit(tmp_path: Path, files: tuple[str, str], none: str) -> None:
    inner = group(tmp_path / "inner", files, "100", none)
    middle = group(tmp_path / "middle", files, "200", "5000")
    outer = group(tmp_path / "outer", files, "300", "4000")
    shown = GroupMemory([inner, middle, outer])
    assert (shown.held_bytes, shown.limit_bytes) == (200, 5000)
    (middle.folder / files[0]).write_text("201\n")
    assert shown.held_bytes == 201
    unbounded = GroupMemory([inner, Group(inner.unified, tmp_path / "nowhere")])
    assert (unbounded.held_bytes, unbounded.limit_bytes) == (100, math.inf)


def test_where_nobody_counts_it_is_nothing(tmp_path: Path) -> None:
    shown = GroupMemory([Group(True, tmp_path)])
    assert (shown.held_bytes, shown.limit_bytes) == (0, math.inf)

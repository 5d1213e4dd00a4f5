"""The programs under programs/: each begins with `#: what it shows`, or `#: 3.12 what it shows` for newer syntax."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "programs"
_HEAD = re.compile(r"^#: (?:(3\.\d+) )?(.+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Written:
    """One program. `name` is its file's and what it shows."""

    name: str
    source: str


def programs() -> Iterator[Written]:
    """Those that this interpreter can parse, of every file."""
    for file in sorted(FOLDER.glob("*.py")):
        _, *parts = _HEAD.split(file.read_text("utf-8"))
        for since, shows, source in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            if not since or tuple(map(int, since.split("."))) <= sys.version_info[:2]:
                yield Written(f"{file.stem}: {shows}", source)

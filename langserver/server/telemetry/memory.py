"""What the control group of this server holds, and may hold: its children's memory too."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

_ROOT: Final = Path("/sys/fs/cgroup")
_OWN_GROUPS: Final = Path("/proc/self/cgroup")
_NONE_V1: Final = 1 << 62  # cgroup v1 says "no limit" with the highest number of whole pages
# What is held and may be held (cgroup-v2.rst; cgroup-v1/memory.rst).
_FILES: Final = {True: ("memory.current", "memory.max"), False: ("memory.usage_in_bytes", "memory.limit_in_bytes")}


class GroupMemory:
    """Of the closest group that has a limit, else of the outermost that counts."""

    def __init__(self, root: Path = _ROOT, own_groups: Path = _OWN_GROUPS) -> None:
        self._held: Path | None = None
        self.limit_bytes = math.inf
        for held, limit in _groups(root, _read(own_groups)):
            if (most := _limit(_read(limit))) is not None:
                self._held, self.limit_bytes = held, most
                if most != math.inf:
                    return

    @property
    def held_bytes(self) -> float:
        """0 where nobody counts."""
        text = "" if self._held is None else _read(self._held)
        return float(text) if text.isdecimal() else 0.0


def _groups(root: Path, text: str) -> Iterator[tuple[Path, Path]]:
    """From the innermost outwards. In a container its path may be the host's: then only the root is there."""
    for line in text.splitlines():
        hierarchy, controllers, own = line.split(":", 2)
        unified = hierarchy == "0" and not controllers
        if not unified and "memory" not in controllers.split(","):
            continue
        top = root if unified else root / "memory"
        path = PurePosixPath(own)
        for group in (path, *path.parents):
            held, limit = (top / str(group).lstrip("/") / name for name in _FILES[unified])
            yield held, limit


def _limit(text: str) -> float | None:
    """None where there is no such group."""
    if text == "max":
        return math.inf
    if not text.isdecimal():
        return None
    return math.inf if int(text) >= _NONE_V1 else float(text)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""

"""What the control group of this server holds, and may hold: its children's memory too."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from langserver.server.cgroups import Group, own_groups
from langserver.server.memory import parse_bound

_NONE_V1: Final = 1 << 62  # cgroup v1 says "no limit" with the highest number of whole pages
# What is held and may be held (cgroup-v2.rst; cgroup-v1/memory.rst), by whether it is version 2.
_FILES: Final = {True: ("memory.current", "memory.max"), False: ("memory.usage_in_bytes", "memory.limit_in_bytes")}


class GroupMemory:
    """Of the closest group that has a limit, else of the outermost that counts. `limit_bytes` is inf without any."""

    def __init__(self, groups: Iterable[Group] | None = None) -> None:
        self._group: Group | None = None
        self.limit_bytes = math.inf
        for group in own_groups("memory") if groups is None else groups:
            text = group.read(_FILES[group.unified][1])
            if text is None:
                continue
            self._group = group
            bound = parse_bound(text)
            if bound is not None and bound < _NONE_V1:
                self.limit_bytes = float(bound)
                return

    @property
    def held_bytes(self) -> float:
        """0 where nobody counts."""
        if self._group is None:
            return 0.0
        return float(parse_bound(self._group.read(_FILES[self._group.unified][0]) or "") or 0)

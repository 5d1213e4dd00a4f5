"""How much memory this process and all that it starts may have: the bounds of its control groups, or the machine."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from langserver.core.capacity import Room
from langserver.server import cgroups
from langserver.server.cgroups import Group

# Above memory.high the kernel kills nobody, but lets all wait while it looks for memory: it counts as a bound too.
_FILES = {True: ("memory.max", "memory.high"), False: ("memory.limit_in_bytes",)}


def usable_memory() -> Room:
    """The tightest bound. Without any that can be read, so much that it bounds nothing."""
    return min(_rooms(), key=lambda room: room.size, default=Room(sys.maxsize, "nothing that can be read here"))


def parse_bound(text: str) -> int | None:
    """Bytes, of any of those files; None for no bound."""
    text = text.strip()
    return int(text) if re.fullmatch(r"[0-9]+", text, re.ASCII) else None


def parse_hierarchical(stat: str) -> int | None:
    """The tightest of a group's bound and those above it, of a memory.stat of version 1: also where a container does
    not see those above. Version 2 has nothing like it.
    """
    found = re.search(r"^hierarchical_memory_limit ([0-9]+)$", stat, re.MULTILINE)
    return int(found[1]) if found else None


def parse_total(meminfo: str) -> int | None:
    """The memory of the machine, of a /proc/meminfo."""
    found = re.search(r"^MemTotal: +([0-9]+) kB$", meminfo, re.MULTILINE)
    return int(found[1]) << 10 if found else None


def _rooms() -> Iterator[Room]:
    total = parse_total(cgroups.read(cgroups.PROC / "meminfo") or "")
    if total is not None:
        yield Room(total, "this machine's memory")
    for group in cgroups.own_groups("memory"):
        yield from _of(group)


def _of(group: Group) -> Iterator[Room]:
    for name in _FILES[group.unified]:
        bound = parse_bound(group.read(name) or "")
        if bound is not None:
            yield Room(bound, str(group.folder / name))
    if not group.unified:
        bound = parse_hierarchical(group.read("memory.stat") or "")
        if bound is not None:
            yield Room(bound, f"a group above {group.folder}")

"""What a package left behind in this process that no child may have: threads, descriptors, memory of the wrong kind."""

from __future__ import annotations

import gc
import os
from pathlib import Path

from langserver.sandbox.proc import Proc


class Traces:
    """Knows what was there before any package."""

    def __init__(self) -> None:
        self._descriptors = Proc().descriptors()
        self._mappings = _wrong_mappings()

    def found(self) -> str:
        """The first thing that keeps children from being forked, in words; empty where there is nothing."""
        threads = Proc().threads()
        if threads != 1:
            return f"starts threads ({threads - 1}), and children can only be forked from a process with one"
        if Proc().descriptors() - self._descriptors:
            gc.collect()  # what nobody refers to any more is no fault
            for descriptor in Proc().descriptors() - self._descriptors:
                what = os.readlink(f"/proc/self/fd/{descriptor}")
                return f"leaves a descriptor open ({what}), and a child has none but its own"
        return ""

    def found_in_memory(self) -> str:
        """The same of its memory, which takes longer to look at."""
        new = sorted(_wrong_mappings() - self._mappings)
        return f"maps memory {new[0][1]}" if new else ""


def _wrong_mappings() -> set[tuple[str, str]]:
    """Where this process has memory that it may write to and execute, or that it would share with every child."""
    found = set()
    for line in Path("/proc/self/maps").read_text("utf-8", "replace").splitlines():
        where, rights, *_ = line.split(maxsplit=2)
        if "w" in rights and "x" in rights:
            found.add((where, "that can be written to and executed"))
        elif "w" in rights and "s" in rights:
            found.add((where, "that all children would share"))
    return found

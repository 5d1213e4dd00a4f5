"""The processes of a running server, and what memory they hold."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from bench.measure import NotAvailable, NotHere

_PROC = Path("/proc")
_SETTLE_SECONDS = 0.5
_WAIT_SECONDS = 30
_SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes of a process: its own and its share of what others hold too (PSS); what is its alone."""

    pss: int
    private: int


def held(pid: int) -> Held:
    """What a process holds. Raises NotHere where it may not be looked into, NotAvailable where it is gone."""
    try:
        text = (_PROC / str(pid) / "smaps_rollup").read_text()
    except PermissionError:
        raise NotHere("only root may see what non-dumpable processes hold") from None
    except OSError as error:
        raise NotAvailable(f"process {pid} could not be looked at: {error.strerror}") from None
    sizes = {name: int(kib) << 10 for name, kib in re.findall(r"^(\w+): +(\d+) kB$", text, re.MULTILINE)}
    return Held(sizes["Pss"], sizes["Private_Clean"] + sizes["Private_Dirty"])


def settled_pss(pid: int) -> tuple[int, ...]:
    """PSS of a process that has nothing to do, some times in a row."""
    found = []
    for _ in range(_SAMPLES):
        time.sleep(_SETTLE_SECONDS)
        found.append(held(pid).pss)
    return tuple(found)


def warm_children(server: int, runtimes: tuple[str, ...], count: int) -> dict[str, tuple[int, list[int]]]:
    """For each runtime the pid of its zygote and those of its children, once `count` wait. Raises NotAvailable."""
    until = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < until:
        found = _families(server, runtimes)
        if all(len(found.get(runtime, (0, []))[1]) == count for runtime in runtimes):
            time.sleep(_SETTLE_SECONDS)  # forked is not yet sealed
            if _families(server, runtimes) == found:
                return found
        time.sleep(0.1)
    raise NotAvailable(f"{count} children a runtime did not come to wait")


def _families(server: int, runtimes: tuple[str, ...]) -> dict[str, tuple[int, list[int]]]:
    below = _children()
    found = {}
    for started in below[server]:
        words = _words(started)
        runtime = next((runtime for runtime in runtimes if runtime in words), None)
        if runtime is None:
            continue
        zygote = started
        # With the layer `namespaces` what was started is a launcher, whose one child is the zygote.
        if len(below[zygote]) == 1 and below[below[zygote][0]]:
            zygote = below[zygote][0]
        found[runtime] = (zygote, sorted(below[zygote]))
    return found


def _children() -> dict[int, list[int]]:
    below: dict[int, list[int]] = defaultdict(list)
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            try:
                # pid (comm) state ppid: the name may hold anything, parentheses too (proc_pid_stat(5)).
                _, parent, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            below[int(parent)].append(int(folder.name))
    return below


def _words(pid: int) -> list[str]:
    try:
        return (_PROC / str(pid) / "cmdline").read_text().split("\0")
    except OSError:
        return []

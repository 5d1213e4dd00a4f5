"""This machine, as the suite's claims see it."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path
from typing import Final

from langserver.sandbox.layers import CGROUP, LANDLOCK, NAMESPACES
from langserver.sandbox.probe import probe
from tests.security.suite.layer_sets import LayerSet, Machine

_FOUND: Final = {status.name: status for status in probe()}


def _landlock_abi() -> int:
    landlock = _FOUND[LANDLOCK]
    return int(landlock.detail.removeprefix("ABI ")) if landlock.available else 0


HERE: Final = Machine(
    root=os.geteuid() == 0,
    landlock_abi=_landlock_abi(),
    namespaces=_FOUND[NAMESPACES].available,
    cgroup=_FOUND[CGROUP].available,
    python=sys.version_info[:2],
)


def lacks(host: str) -> bool:
    """Whether this machine is known not to have what a row's `host` names; of most things only trying tells."""
    if host == "no Yama above it":  # it also keeps root without capabilities from what is not its descendant
        yama = Path("/proc/sys/kernel/yama/ptrace_scope")
        return yama.exists() and yama.read_text().strip() != "0"
    return host == "room in its user's budget of pipes" and not _pipes_grow()


def _pipes_grow() -> bool:
    """False while processes of this user hold more than pipe-user-pages-soft (pipe(7)): just now, perhaps."""
    ends = os.pipe()
    try:
        fcntl.fcntl(ends[0], fcntl.F_SETPIPE_SZ, 1 << 17)
    except PermissionError:
        return False
    finally:
        for end in ends:
            os.close(end)
    return True


def missing(layer_set: LayerSet) -> str:
    """Why this machine can't run a set, empty when it can."""
    for layer in sorted(layer_set.on(HERE) - HERE.layers):
        return f"{layer} not to be had here: {_FOUND[layer].detail}"
    if HERE.landlock_abi < layer_set.abi:
        return f"landlock ABI {layer_set.abi} not to be had here: it is {HERE.landlock_abi}"
    return ""

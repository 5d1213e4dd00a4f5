"""This machine, as the suite's claims see it."""

from __future__ import annotations

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
    # It also keeps root without capabilities from tracing what is not its descendant.
    yama = Path("/proc/sys/kernel/yama/ptrace_scope")
    return host == "no Yama above it" and yama.exists() and yama.read_text().strip() != "0"


def missing(layer_set: LayerSet) -> str:
    """Why this machine can't run a set, empty when it can."""
    for layer in sorted(layer_set.on(HERE) - HERE.layers):
        return f"{layer} not to be had here: {_FOUND[layer].detail}"
    if HERE.landlock_abi < layer_set.abi:
        return f"landlock ABI {layer_set.abi} not to be had here: it is {HERE.landlock_abi}"
    return ""

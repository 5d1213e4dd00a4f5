"""The names of the walls between a task and the host. Each of them is independent of the others."""

from __future__ import annotations

from typing import Final

POLICY: Final = "policy"  # inside the language: what a program may say
AUDIT: Final = "audit"  # a tripwire in the interpreter
PRIVILEGES: Final = "privileges"  # identity, capabilities, descriptors, signals
RLIMITS: Final = "rlimits"
LANDLOCK: Final = "landlock"
SECCOMP: Final = "seccomp"
NAMESPACES: Final = "namespaces"
CGROUP: Final = "cgroup"  # what a child makes the kernel hold, counted from outside

LAYERS: Final = (POLICY, AUDIT, PRIVILEGES, RLIMITS, LANDLOCK, SECCOMP, NAMESPACES, CGROUP)

# Nothing runs with less by mistake: without one of these, server and command line refuse to start.
REQUIRED: Final = frozenset({POLICY, AUDIT, PRIVILEGES, RLIMITS, SECCOMP})

NO_LAYER: Final = "none"  # what a caller writes for the empty set


def parse_layers(text: str) -> frozenset[str]:
    """Reads a comma separated list of layer names; `none` is the empty set. Raises ValueError naming what is wrong."""
    names = [part.strip() for part in text.split(",")]
    if names == [NO_LAYER]:
        return frozenset()
    for name in names:
        if name not in LAYERS:
            raise ValueError(f"unknown layer {name!r}: expected {NO_LAYER} or some of {', '.join(LAYERS)}")
    return frozenset(names)


def format_layers(layers: frozenset[str]) -> str:
    """The list that `parse_layers` reads back, in the order of LAYERS."""
    return ",".join(name for name in LAYERS if name in layers) or NO_LAYER

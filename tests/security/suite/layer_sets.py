"""Which layers an attack is run under, and what must come of it: pure functions over a row's claims."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from langserver.sandbox.layers import AUDIT, CGROUP, LANDLOCK, LAYERS, NAMESPACES, POLICY, PRIVILEGES, RLIMITS, SECCOMP
from tests.security.suite.attack import Attack, Host, Runtime

# What no switch turns off: the exec with an empty environment, the framing, the verdict, the wall clock, a process for
# one task only. A row names it like a layer.
SERVER: Final = "server"

NEWEST_ABI: Final = 7


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides how far an attack gets; landlock's ABI is 0 where it is missing."""

    root: bool
    landlock_abi: int
    namespaces: bool
    python: tuple[int, ...]
    cgroup: bool = False

    @property
    def layers(self) -> frozenset[str]:
        """Every layer it has."""
        missing = {LANDLOCK: not self.landlock_abi, NAMESPACES: not self.namespaces, CGROUP: not self.cgroup}
        return frozenset(name for name in LAYERS if not missing.get(name))


FULL: Final = Machine(root=True, landlock_abi=NEWEST_ABI, namespaces=True, python=(3, 11))


class Expected(Enum):
    """What must come of an attack under a set."""

    CONTAINED = "contained"
    THROUGH = "through"
    UNTRIED = "not tried"


@dataclass(frozen=True, slots=True)
class LayerSet:
    """A set of layers and whose attacks are run under it.

    With `all` it means as many of them as the machine has; `abi` is a landlock ABI that a newer kernel is held to. With
    `jit` the engine of JavaScript compiles.
    """

    name: str
    layers: frozenset[str]
    runtimes: frozenset[Runtime]
    all: bool = False
    abi: int = 0
    jit: bool = False

    def on(self, machine: Machine) -> frozenset[str]:
        """The layers it has there."""
        return self.layers & machine.layers if self.all else self.layers

    def takes(self, attack: Attack) -> bool:
        """Whether the attack is run under it."""
        if attack.runtime not in self.runtimes or not self.layers.issuperset(filter(None, [attack.aims_at])):
            return False
        if self.abi:  # one layer, at one age: worth the time only for those that it stops at some age
            return any(stop.layers == self.layers for stop in attack.stopped_by)
        if self is BOUNDED:
            return attack.limits is not None
        if self in ALONE.values() and any(stop.layers == {SERVER} for stop in attack.stopped_by):
            return False  # it would say nothing of the layer
        # Memory has no bound under these two.
        return self not in (POLICY_ALONE, NONE) or attack.runtime == "native" or attack.limits is None

    def claims(self, attack: Attack, machine: Machine) -> bool:
        """Whether something in it stops the attack by itself."""
        abi = self.abi or machine.landlock_abi
        held = self.on(machine) | {SERVER}
        stops = {stop.layers for stop in attack.stopped_by if stop.abi <= abi and stop.works_on(machine.python)}
        if not machine.root and _TOGETHER in stops:
            stops.add(frozenset({RLIMITS}))  # whoever is not above the limits has nothing to give up for them
        return any(layers <= held for layers in stops)

    def expects(self, attack: Attack, machine: Machine) -> Expected:
        """What must come of the attack there."""
        if self.claims(attack, machine):
            return Expected.CONTAINED
        if attack.dangerous:
            return Expected.UNTRIED
        # Aimed at a guard or at a draft's wrapper, or not parsed: without either it is harmless.
        parsed = attack.since and machine.python >= attack.since
        no_effect = attack.runtime != "native" and attack.real.host is not Host.NONE and not parsed
        return Expected.CONTAINED if no_effect else Expected.THROUGH


_SOURCE: Final[frozenset[Runtime]] = frozenset({"python", "javascript"})
_NATIVE: Final[frozenset[Runtime]] = frozenset({"native"})
_ALL: Final = frozenset(LAYERS)
_TOGETHER: Final = frozenset({RLIMITS, PRIVILEGES})

ALL: Final = LayerSet("all", _ALL, _SOURCE | _NATIVE, all=True)
ALL_BUT_POLICY: Final = LayerSet("all but policy", _ALL - {POLICY}, _NATIVE, all=True)
KERNEL: Final = LayerSet("all but policy, audit", _ALL - {POLICY, AUDIT}, _NATIVE, all=True)
# What every server has; each native attack is stopped by it.
REQUIRED_KERNEL: Final = LayerSet("seccomp, rlimits, privileges", _TOGETHER | {SECCOMP}, _NATIVE)
NO_SECCOMP: Final = LayerSet("landlock, namespaces, rlimits, privileges", _TOGETHER | {LANDLOCK, NAMESPACES}, _NATIVE)
NO_SECCOMP_IN_CONTAINER: Final = LayerSet("landlock, rlimits, privileges", _TOGETHER | {LANDLOCK}, _NATIVE)
POLICY_ALONE: Final = LayerSet("policy", frozenset({POLICY}), _SOURCE)
# With V8's compiler (LANG_JS_JIT=on) the same must hold.
ALL_WITH_JIT: Final = LayerSet("all, with JIT", _ALL, frozenset({"javascript"}), all=True, jit=True)
# Of `cgroup`, which bounds memory only and few machines have, tests/security/test_memory_cgroup.py tells.
ALONE: Final = {
    layer: LayerSet(layer, frozenset({layer}), _NATIVE) for layer in LAYERS if layer not in (POLICY, CGROUP)
}
OLDER_LANDLOCK: Final = tuple(
    LayerSet(f"landlock ABI {abi}", frozenset({LANDLOCK}), _NATIVE, abi=abi) for abi in range(1, NEWEST_ABI)
)
# Plain CPython in which attacks on a limit are shown to be real, and the machine is safe.
BOUNDED: Final = LayerSet("rlimits, privileges", _TOGETHER, frozenset({"python"}))
NONE: Final = LayerSet("none", frozenset(), frozenset({"python", "native"}))

SETS: Final = (
    ALL,
    ALL_WITH_JIT,
    ALL_BUT_POLICY,
    KERNEL,
    REQUIRED_KERNEL,
    NO_SECCOMP,
    NO_SECCOMP_IN_CONTAINER,
    POLICY_ALONE,
    *ALONE.values(),
    *OLDER_LANDLOCK,
    BOUNDED,
    NONE,
)

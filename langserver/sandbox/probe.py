"""Which layers this host can give, found out without changing anything in this process, and without root."""

from __future__ import annotations

import os
from dataclasses import dataclass

from langserver.sandbox import cgroup, landlock, namespaces, privileges, rehearsal, seccomp
from langserver.sandbox.errors import LayerUnavailable
from langserver.sandbox.layers import AUDIT, CGROUP, LANDLOCK, NAMESPACES, POLICY, PRIVILEGES, RLIMITS, SECCOMP


@dataclass(frozen=True, slots=True)
class LayerStatus:
    """One layer: its name, whether it can be had here, and a line for an operator (what it is, or why not).

    `void` says why it protects nobody although it can be had; empty where it protects.
    """

    name: str
    available: bool
    detail: str
    void: str = ""


def probe() -> tuple[LayerStatus, ...]:
    """Every layer, in the order of `layers.LAYERS`."""
    return (
        LayerStatus(POLICY, True, "inside each language"),
        LayerStatus(AUDIT, True, "a tripwire, no boundary"),
        _privileges(),
        LayerStatus(RLIMITS, True, "address space for python, private memory for js"),
        _landlock(),
        _seccomp(),
        _namespaces(),
        _cgroup(),
    )


def _privileges() -> LayerStatus:
    reason = privileges.unavailable()
    if reason is not None:
        return LayerStatus(PRIVILEGES, False, reason)
    if os.geteuid() == 0 or os.getuid() == 0:
        return LayerStatus(PRIVILEGES, True, f"uid {privileges.UNPRIVILEGED} from root")
    return LayerStatus(PRIVILEGES, True, f"uid {os.getuid()}")


def _landlock() -> LayerStatus:
    try:
        return LayerStatus(LANDLOCK, True, f"ABI {landlock.abi()}")
    except LayerUnavailable as error:
        return LayerStatus(LANDLOCK, False, error.reason)


def _seccomp() -> LayerStatus:
    reason = seccomp.unavailable()
    host = os.uname()
    return LayerStatus(SECCOMP, reason is None, reason or f"{host.machine}, kernel {host.release}")


def _namespaces() -> LayerStatus:
    if (os.geteuid() == 0 or os.getuid() == 0) and namespaces.needs_user_namespace():
        # Mapped to itself alone in a user namespace, root would have nobody to become.
        return LayerStatus(NAMESPACES, False, "started as root without CAP_SYS_ADMIN")
    reason = rehearsal.unavailable()
    kinds = "pid, mount, network, ipc, uts" + (", user" if namespaces.needs_user_namespace() else "")
    return LayerStatus(NAMESPACES, reason is None, reason or kinds)


def _cgroup() -> LayerStatus:
    reason = cgroup.unavailable()
    return LayerStatus(CGROUP, reason is None, reason or "memory of each child, page tables included")

"""How many cores this process may use: its affinity mask and the CPU quotas of its control groups."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_ROOT = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")


def usable_cores() -> int:
    """At least 1. A quota of one and a half cores counts as two: both may be busy at once."""
    quotas = list(_quotas(_read(_OWN_GROUPS) or ""))
    return cores_within(len(os.sched_getaffinity(0)), quotas)


def cores_within(affinity: int, quotas: list[float]) -> int:
    """The tightest of an affinity count and any quotas in cores."""
    return max(1, min([affinity, *(math.ceil(quota) for quota in quotas)]))


def parse_cpu_max(text: str) -> float | None:
    """The quota in cores of a cgroup v2 `cpu.max` (microseconds of quota and period), None where there is none."""
    quota, _, period = text.strip().partition(" ")
    if quota == "max":
        return None
    return _ratio(quota, period or "100000")


def parse_cfs(quota: str, period: str) -> float | None:
    """The quota in cores of a cgroup v1 `cpu.cfs_quota_us` (-1: none) and `cpu.cfs_period_us`."""
    return _ratio(quota.strip(), period.strip())


def own_groups(text: str) -> Iterator[tuple[bool, PurePosixPath]]:
    """From /proc/self/cgroup (cgroups(7)): the groups that can bound CPU time, each with whether it is of version 2."""
    for line in text.splitlines():
        hierarchy, controllers, path = line.split(":", 2)
        if hierarchy == "0" and not controllers:
            yield True, PurePosixPath(path)
        elif "cpu" in controllers.split(","):
            yield False, PurePosixPath(path)


def _quotas(groups: str) -> Iterator[float]:
    for unified, path in own_groups(groups):
        # Quotas of all ancestors hold. In a container the path may be the host's, which is not there: only the root is.
        for group in (path, *path.parents):
            found = _quota_of(unified, str(group).lstrip("/"))
            if found is not None:
                yield found


def _quota_of(unified: bool, group: str) -> float | None:
    if unified:
        text = _read(_ROOT / group / "cpu.max")
        return parse_cpu_max(text) if text else None
    folder = _ROOT / "cpu" / group
    quota, period = _read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")
    return parse_cfs(quota, period) if quota and period else None


def _ratio(quota: str, period: str) -> float | None:
    try:
        cores = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return None
    return cores if cores > 0 else None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return None

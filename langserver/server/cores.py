"""How many cores this process may use: its affinity mask and the CPU quotas of its control groups."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

from langserver.server.cgroups import Group, own_groups


def usable_cores() -> int:
    """At least 1. A quota of one and a half cores counts as two: both may be busy at once."""
    return cores_within(len(os.sched_getaffinity(0)), list(_quotas()))


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


def _quotas() -> Iterator[float]:
    for group in own_groups("cpu"):
        found = _quota_of(group)
        if found is not None:
            yield found


def _quota_of(group: Group) -> float | None:
    if group.unified:
        text = group.read("cpu.max")
        return parse_cpu_max(text) if text else None
    quota, period = group.read("cpu.cfs_quota_us"), group.read("cpu.cfs_period_us")
    return parse_cfs(quota, period) if quota and period else None


def _ratio(quota: str, period: str) -> float | None:
    try:
        cores = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return None
    return cores if cores > 0 else None

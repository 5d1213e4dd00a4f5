"""Lowering the limits of a child that waits sealed, from outside: it cannot change them itself any more."""

from __future__ import annotations

import resource
import time

from langserver.sandbox.rlimits import memory_resource, tighter
from langserver.zygote.niceness import have_make_way


def lower_limits(
    runtime: str, pid: int, memory_ceiling: int | None, cpu_seconds: int | None, makes_way: bool = False
) -> int:
    """Lowers the limits of `pid`, a child that is not reaped: the pid is its own. Returns an errno, 0 when done.

    `memory_ceiling` is absolute, in bytes. One that `makes_way` gets less of the cores than others. The zygote does
    this and not the server: prlimit(2) wants the same user, and a server started as root without CAP_SYS_RESOURCE has
    another one than its children.
    """
    try:
        if memory_ceiling is not None:
            _lower(pid, memory_resource(runtime), memory_ceiling, memory_ceiling)
        if cpu_seconds is not None:
            # The clock of RLIMIT_CPU has run since the fork; a task does not pay for what its child did before.
            soft = cpu_seconds + round(_cpu_used(pid))
            _lower(pid, resource.RLIMIT_CPU, soft, soft + 1)
        if makes_way:
            have_make_way(pid)
    except OSError as error:
        return error.errno or -1
    return 0


def _lower(pid: int, kind: int, soft: int, hard: int) -> None:
    resource.prlimit(pid, kind, tighter((soft, hard), resource.prlimit(pid, kind)))


def _cpu_used(pid: int) -> float:
    # The CPU clock of another process, as clock_getcpuclockid(3) computes it: CPUCLOCK_SCHED is 2.
    return time.clock_gettime((~pid << 3) | 2)

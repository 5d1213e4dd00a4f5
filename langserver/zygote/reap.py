"""How a child ended, from the kernel."""

from __future__ import annotations

import os


def reap(pid: int) -> tuple[int, int, int, int]:
    """The numbers of EXIT for `pid`: code or -1, signal or 0, CPU time in microseconds, peak RSS in bytes."""
    _, status, usage = os.wait4(pid, 0)
    cpu = round((usage.ru_utime + usage.ru_stime) * 1_000_000)
    max_rss = usage.ru_maxrss << 10  # getrusage(2): kilobytes on Linux
    if os.WIFSIGNALED(status):
        return -1, os.WTERMSIG(status), cpu, max_rss
    return os.WEXITSTATUS(status), 0, cpu, max_rss

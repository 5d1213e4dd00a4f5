"""How a child ended, from the kernel."""

from __future__ import annotations

import os
from collections.abc import Container


def reap(pid: int) -> tuple[int, int, int, int]:
    """The numbers of EXIT for `pid`: code or -1, signal or 0, CPU time in microseconds, peak RSS in bytes."""
    _, status, usage = os.wait4(pid, 0)
    cpu = round((usage.ru_utime + usage.ru_stime) * 1_000_000)
    max_rss = usage.ru_maxrss << 10  # getrusage(2): kilobytes on Linux
    if os.WIFSIGNALED(status):
        return -1, os.WTERMSIG(status), cpu, max_rss
    return os.WEXITSTATUS(status), 0, cpu, max_rss


def reap_strangers(known: Container[int]) -> None:
    """Buries what a dead child left: pid 1 of a namespace inherits every orphan in it.

    A child in `known` that has ended too is left alone, and with it whoever ended after it: its own turn comes.
    """
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or ended.si_pid in known:
            return
        os.waitpid(ended.si_pid, 0)

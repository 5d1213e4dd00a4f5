"""The process between server and zygote where there are namespaces: it forks pid 1 of them, and waits for its end."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

from langserver.sandbox import namespaces
from langserver.sandbox.jail import harden_launcher
from langserver.sandbox.namespaces import Inside
from langserver.sandbox.proc import Proc
from langserver.zygote.fork import fork_alone


def become_first_process(layers: frozenset[str], server_pid: int) -> Inside:
    """Returns in another process, the first one of new namespaces; this one stays behind and ends with that one.

    Raises LayerUnavailable, SandboxError, NotForkable, OSError.
    """
    launcher = os.pidfd_open(os.getpid())
    namespaces.unshare()
    # Whoever ends the launcher politely means both processes: not before it can pass that on.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    pid = fork_alone(Proc())
    if pid:
        _outlive(pid, layers, server_pid)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    return Inside(launcher)


def _outlive(pid: int, layers: frozenset[str], server_pid: int) -> NoReturn:
    """Waits for the end of `pid` and ends likewise; the end of this process, or SIGTERM, is that one's.

    All its children end with pid 1 of a namespace, before it can be waited for (pid_namespaces(7)): when this process
    has ended by itself, everything has.
    """

    def end(_: int, __: FrameType | None) -> None:
        os.kill(pid, signal.SIGKILL)

    signal.signal(signal.SIGTERM, end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    harden_launcher(layers, server_pid)
    # While it is not buried its number is its own; from then on no signal may end whoever has that number.
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)  # as a shell tells of a signal

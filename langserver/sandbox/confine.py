"""Layer `privileges`, what a process does to itself: the zygote once, each child again."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
from typing import Final

from langserver.sandbox import libc
from langserver.sandbox.errors import ReadBackError, SandboxError
from langserver.sandbox.proc import Proc

REPORT_FD: Final = 3
INPUT_FD: Final = 4
RULESET_FD: Final = 5  # or what comes after it, where there is no ruleset

_ASIDE: Final = RULESET_FD + 2  # copies lie above every target: dup2 onto 3 would clobber a source that is 3
_NULL_DEVICE: Final = os.makedev(1, 3)
_UMASK: Final = 0o077


def move_descriptors(sources: tuple[int, ...]) -> None:
    """Moves descriptors to 3, 4 ... in this order; their old numbers are closed. Raises OSError."""
    copies = [fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, _ASIDE) for source in sources]
    for source in set(sources):
        os.close(source)
    for target, copy in enumerate(copies, REPORT_FD):
        os.dup2(copy, target, inheritable=False)
        os.close(copy)


def silence_standard_descriptors() -> None:
    """0 to 2 are /dev/null, whatever the parent has there. Raises OSError or ReadBackError."""
    for number in range(3):
        if _is_null(number):
            continue
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        os.dup2(null, number)
        os.close(null)
        if not _is_null(number):
            raise ReadBackError(f"descriptor {number} is not {os.devnull}")


def _is_null(number: int) -> bool:
    status = os.fstat(number)
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == _NULL_DEVICE


def close_descriptors_from(lowest: int, proc: Proc) -> None:
    """Leaves nothing open from `lowest` on, which `proc` then shows. Raises OSError or ReadBackError."""
    libc.close_descriptors_from(lowest)
    wanted = frozenset(range(lowest))
    left = proc.descriptors(wanted)  # a process that is not dumpable may still list its own
    if left != wanted:
        raise ReadBackError(f"descriptors are open: {sorted(left)}")


def leave_session() -> None:
    """An own session and process group, no folder, no permission bits for others. Raises OSError or ReadBackError."""
    os.setsid()
    if os.getsid(0) != os.getpid():
        raise ReadBackError("not the leader of an own session")
    os.chdir("/")
    if os.getcwd() != "/":
        raise ReadBackError("the current folder is another one")
    os.umask(_UMASK)
    if os.umask(_UMASK) != _UMASK:
        raise ReadBackError("the umask is another one")


def clear_signal_mask() -> None:
    """Every signal can arrive. Raises ReadBackError."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if signal.pthread_sigmask(signal.SIG_BLOCK, ()):
        raise ReadBackError("signals are still blocked")


def drop_capabilities() -> None:
    """No capability, in no set that this process can still lower. Raises OSError or ReadBackError."""
    libc.prctl(libc.PR_CAP_AMBIENT, libc.PR_CAP_AMBIENT_CLEAR_ALL)
    libc.set_capabilities(0, 0)
    if libc.capabilities() != (0, 0, 0):
        raise ReadBackError("capabilities are left")


def forbid_dumps() -> None:
    """No core file; no ptrace, no /proc/<pid>/mem for others of the same user. Raises OSError or ReadBackError."""
    libc.prctl(libc.PR_SET_DUMPABLE, 0)
    if libc.prctl(libc.PR_GET_DUMPABLE) != 0:
        raise ReadBackError("still dumpable")


def die_with_parent(parent_pid: int) -> None:
    """SIGKILL when the parent ends; it must still be the one that was there before the fork.

    Raises OSError, ReadBackError, or SandboxError when the parent is gone already. To be called after every change of
    identity: the kernel clears the signal then (PR_SET_PDEATHSIG(2const)).
    """
    libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)
    if libc.parent_death_signal() != signal.SIGKILL:
        raise ReadBackError("no signal will come when the parent ends")
    if os.getppid() != parent_pid:  # it ended between fork and prctl: no signal will come for that
        raise SandboxError("the parent has ended")


def forbid_new_privileges() -> None:
    """No exec can raise privileges; landlock and seccomp demand it of an unprivileged process. Raises as the others."""
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    if libc.prctl(libc.PR_GET_NO_NEW_PRIVS) != 1:
        raise ReadBackError("no_new_privs is not set")

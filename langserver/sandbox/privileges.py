"""Layer `privileges`, the zygote's part: it stops being root before it imports anything for tasks."""

from __future__ import annotations

import os
import signal
import sys
from typing import Final

from langserver.sandbox import libc
from langserver.sandbox.errors import LayerUnavailable, ReadBackError
from langserver.sandbox.layers import PRIVILEGES

UNPRIVILEGED: Final = 65532  # uid and gid; `nonroot` of the usual minimal container images

# linux/capability.h
_CAP_DAC_READ_SEARCH: Final = 1 << 2
_CAP_SETGID: Final = 1 << 6
_CAP_SETUID: Final = 1 << 7
_CAP_SETPCAP: Final = 1 << 8
CAP_SYS_ADMIN: Final = 1 << 21
_NEEDED: Final = _CAP_SETGID | _CAP_SETUID | _CAP_SETPCAP


def drop_identity(for_later: int = 0) -> None:
    """Gives up root and every capability, for good. Raises LayerUnavailable, OSError, ReadBackError.

    Of the capabilities `for_later` what this process has stays permitted, not effective, and CAP_DAC_READ_SEARCH stays
    when it was started as root and its interpreter lies where the new user may not read (a virtual environment below a
    private home): `give_up_capabilities` must follow the imports.
    """
    permitted, effective, _ = libc.capabilities()
    if os.geteuid() != 0 and os.getuid() != 0:
        _lower_other_sets(effective)
        _set_capabilities(0, permitted=permitted & for_later)
        return
    reason = unavailable()
    if reason is not None:
        raise LayerUnavailable(PRIVILEGES, reason)
    later, reading = permitted & for_later, permitted & _CAP_DAC_READ_SEARCH
    _lower_other_sets(effective)
    libc.prctl(libc.PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED)
    os.setresuid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED)
    libc.prctl(libc.PR_SET_KEEPCAPS, 0)
    _set_capabilities(0, permitted=later | reading)
    _read_back_identity()
    if _can_read_interpreter():
        _set_capabilities(0, permitted=later)
        return
    if not reading:
        raise LayerUnavailable(PRIVILEGES, f"uid {UNPRIVILEGED} can't read the interpreter's folders")
    _set_capabilities(reading, permitted=later | reading)


def give_up_capabilities() -> None:
    """No capability from here on, in any set that can be lowered. Raises OSError or ReadBackError."""
    _lower_other_sets(libc.capabilities()[1])
    _set_capabilities(0)


def _lower_other_sets(effective: int) -> None:
    # First: lowering the bounding set needs CAP_SETPCAP, which goes with the rest (capabilities(7)).
    if effective & _CAP_SETPCAP:
        _empty_bounding_set()
    libc.prctl(libc.PR_CAP_AMBIENT, libc.PR_CAP_AMBIENT_CLEAR_ALL)


def unavailable() -> str | None:
    """Why this process could not drop its identity, None when it could or has none to drop. Changes nothing."""
    if not os.path.exists("/proc/self/uid_map"):  # what is dropped is read back from there
        return "no /proc is mounted here"
    if os.geteuid() != 0 and os.getuid() != 0:
        return None
    if libc.capabilities()[1] & _NEEDED != _NEEDED:
        return "started as root without CAP_SETUID, CAP_SETGID and CAP_SETPCAP"
    if not _is_mapped("/proc/self/uid_map") or not _is_mapped("/proc/self/gid_map"):
        return f"uid {UNPRIVILEGED} does not exist in this user namespace: map it, or start as another user than root"
    return None


def _is_mapped(path: str) -> bool:
    # user_namespaces(7): first inside, first outside, count.
    with open(path, encoding="ascii") as table:
        ranges = [tuple(map(int, line.split())) for line in table]
    return any(first <= UNPRIVILEGED < first + count for first, _, count in ranges)


def _empty_bounding_set() -> None:
    for capability in range(64):
        try:
            libc.prctl(libc.PR_CAPBSET_READ, capability)
        except OSError:  # EINVAL: past the last one that this kernel knows
            return
        libc.prctl(libc.PR_CAPBSET_DROP, capability)
        if libc.prctl(libc.PR_CAPBSET_READ, capability) != 0:
            raise ReadBackError(f"capability {capability} is still in the bounding set")


def _set_capabilities(effective: int, *, permitted: int = 0) -> None:
    libc.set_capabilities(permitted, effective)
    if libc.capabilities() != (permitted, effective, 0):
        raise ReadBackError("capset left other capabilities")


def _read_back_identity() -> None:
    wanted = (UNPRIVILEGED,) * 3
    if os.getresuid() != wanted or os.getresgid() != wanted or os.getgroups():
        raise ReadBackError("the user or a group is still another one")
    try:
        os.setresuid(0, 0, 0)
    except PermissionError:
        return
    raise ReadBackError("root could be had back")


def _can_read_interpreter() -> bool:
    folders = {os.path.dirname(os.__file__), os.path.dirname(__file__), *filter(os.path.isabs, sys.path)}
    for folder in folders:
        try:
            os.listdir(folder)
        except PermissionError:  # below a private folder what does not exist is refused too: the same answer
            return False
        except OSError:  # python311.zip is on every path and seldom exists
            continue
    return True


def reset_signals() -> None:
    """The kernel's own dispositions for every signal, SIGXFSZ ignored; children inherit them.

    Under RLIMIT_FSIZE 0 a write to a file would kill with SIGXFSZ; ignored, it is an ordinary EFBIG.
    """
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN if number == signal.SIGXFSZ else signal.SIG_DFL)
        expected = signal.SIG_IGN if number == signal.SIGXFSZ else signal.SIG_DFL
        if signal.getsignal(number) is not expected:
            raise ReadBackError(f"signal {number} has another disposition")


def silence_stderr() -> None:
    """The zygote has said what it had to say while starting; its children must not hold the server's stderr."""
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(null, 2)
    os.close(null)

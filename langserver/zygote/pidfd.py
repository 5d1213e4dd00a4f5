"""A process by its descriptor: what the server knows its zygotes and their children by."""

from __future__ import annotations

import os
import re
import select
import signal

_NUMBER = re.compile(rb"^Pid:\s+(-?\d+)$", re.MULTILINE)  # pidfd_open(2)
_NUMBERS = re.compile(rb"^NSpid:((?:[ \t]+\d+)+)$", re.MULTILINE)  # in this namespace and each below it
_PARENT = re.compile(rb".*\) \S (\d+) ", re.DOTALL)  # proc_pid_stat(5): the name before it may hold anything


def pid_of(pidfd: int) -> int:
    """The process' number here, whatever it is in its own namespace; 0 when it is gone. Raises OSError."""
    number = _number(pidfd)
    return max(number, 0) if number is not None else 0


def is_child_of(parent: int, descriptor: int) -> bool:
    """Whether `descriptor` is of a process that the process `parent` started, or of any that has ended.

    Whoever holds a pidfd kills by its own rights: one that comes from a less trusted process could be of any process.
    """
    number = _number(descriptor)
    if number is None:  # no pidfd
        return False
    # First the parent, then whether it has ended: until then the number was its own.
    return (number > 0 and _parent_of(number) == parent) or has_ended(descriptor)


def is_below(descriptor: int) -> bool:
    """Whether `descriptor` is of a process in a pid namespace below ours, or of any that has ended.

    Who lives in one can name nobody outside of it (pid_namespaces(7)). /proc may hide such processes (`hidepid`): this
    does not look for them there.
    """
    told = _read(f"/proc/self/fdinfo/{descriptor}")
    if _NUMBER.search(told) is None:
        return False
    found = _NUMBERS.search(told)
    return (found is not None and len(found.group(1).split()) > 1) or has_ended(descriptor)


def has_ended(pidfd: int) -> bool:
    """Whether the process has ended, buried or not: then it can be read (pidfd_open(2))."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(0))


def open_status(pidfd: int) -> int:
    """A descriptor of the process' /proc/PID/status: of this process for ever, reading it fails once it is gone.

    Raises ProcessLookupError when it is gone already, PermissionError when /proc hides it from us (proc(5), hidepid),
    OSError.
    """
    number = pid_of(pidfd)
    if not number:
        raise ProcessLookupError
    try:
        descriptor = os.open(f"/proc/{number}/status", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        if pid_of(pidfd) != number:
            raise ProcessLookupError from None
        raise PermissionError from None
    if pid_of(pidfd) == number:
        return descriptor
    os.close(descriptor)  # it was reaped meanwhile, and the number may be another process'
    raise ProcessLookupError


def kill(pidfd: int) -> None:
    """SIGKILL: never to a process that took over the number. One that has ended is let be."""
    send(pidfd, signal.SIGKILL)


def send(pidfd: int, number: signal.Signals) -> None:
    """Another signal, likewise."""
    try:
        signal.pidfd_send_signal(pidfd, number)
    except ProcessLookupError:
        pass


def _number(descriptor: int) -> int | None:
    found = _NUMBER.search(_read(f"/proc/self/fdinfo/{descriptor}"))
    return int(found.group(1)) if found else None


def _parent_of(pid: int) -> int:
    try:
        found = _PARENT.match(_read(f"/proc/{pid}/stat"))
    except OSError:  # it is gone, or hidden from us
        return 0
    return int(found.group(1)) if found else 0


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)

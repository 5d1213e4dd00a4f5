"""A process by its descriptor: what the server knows its zygotes and their children by."""

from __future__ import annotations

import os
import re
import signal

_NUMBER = re.compile(rb"^Pid:\s+(-?\d+)$", re.MULTILINE)


def pid_of(pidfd: int) -> int:
    """The process' number here, whatever it is in its own namespace; 0 when it is gone. Raises OSError."""
    descriptor = os.open(f"/proc/self/fdinfo/{pidfd}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        found = _NUMBER.search(os.read(descriptor, 4096))
    finally:
        os.close(descriptor)
    return max(int(found.group(1)), 0) if found else 0


def kill(pidfd: int) -> None:
    """SIGKILL: never to a process that took over the number. One that has ended is let be."""
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    except ProcessLookupError:
        pass

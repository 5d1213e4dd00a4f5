"""Two processes that this one started, one alive and one ended, and descriptors of them and of others."""

from __future__ import annotations

import functools
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from langserver.zygote import pidfd


@functools.cache
def _start() -> tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]:
    living = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    return living, ended


def living() -> int:
    """The pid of a child of this process that lives as long as this process."""
    return _start()[0].pid


def ended() -> int:
    """The pid of a child of this process that has ended, and is never buried."""
    return _start()[1].pid


# What could come beside a message. `None`: nothing.
SORTS = (None, "living", "ended", "self", "parent", "null", "pipe", "socket")


def descriptor(sort: str | None) -> list[int]:
    """A new descriptor of that sort, for the caller to close."""
    match sort:
        case None:
            return []
        case "living":
            return [os.pidfd_open(living())]
        case "ended":
            return [os.pidfd_open(ended())]
        case "self":
            return [os.pidfd_open(os.getpid())]
        case "parent":
            return [os.pidfd_open(os.getppid())]
        case "null":
            return [os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)]
        case "pipe":
            read, write = os.pipe2(os.O_CLOEXEC)
            os.close(write)  # it can be read, as the pidfd of an ended process can
            return [read]
        case "socket":
            return [socket.socket(socket.AF_UNIX).detach()]
    raise AssertionError(sort)


def send(control: socket.socket, data: bytes, sorts: list[str | None]) -> None:
    """One message of a zygote that may have closed its end, or may find the other one closed or full."""
    descriptors = [number for sort in sorts for number in descriptor(sort)]
    try:
        socket.send_fds(control, [data], descriptors)
    except OSError:
        pass
    finally:
        for number in descriptors:
            os.close(number)


@contextmanager
def counted_kills() -> Iterator[set[int]]:
    """Nothing is killed; whose end was wanted is told instead."""
    wanted: set[int] = set()
    kill, pidfd.kill = pidfd.kill, lambda number: wanted.add(pidfd.pid_of(number))
    try:
        yield wanted
    finally:
        pidfd.kill = kill

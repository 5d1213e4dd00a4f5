"""THE fork: the only one in the tree."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from langserver.sandbox.jail import ChildLimits, Jail
from langserver.sandbox.proc import Proc

Seal = Callable[[Callable[[str], None]], None]  # given what to tell of each event that the audit hook refuses


# What they have done at each fork is for processes with threads, but for `random`, whose generator is seeded at the
# hand-over. Together they write to a hundred pages of every child.
_NEEDLESS_HOOKS: Final = frozenset({"concurrent.futures.thread", "logging", "random", "threading"})


@dataclass(frozen=True, slots=True)
class Birth:
    """A child to be: its jail, what is called in the middle of the seal, and its life, which begins with the seal.

    `kept` is what else the zygote holds open for it.
    """

    jail: Jail
    limits: ChildLimits
    wake: Callable[[], None]
    live: Callable[[Seal], NoReturn]
    input_fd: int
    report_fd: int
    kept: frozenset[int] = frozenset()

    @property
    def descriptors(self) -> frozenset[int]:
        """What the zygote holds open for it."""
        return self.kept | {*self.jail.descriptors, self.input_fd, self.report_fd}


class NotForkable(Exception):
    """The zygote is not in the state in which it may fork; it must be replaced."""


@contextmanager
def without_needless_hooks() -> Iterator[None]:
    """Modules of the library that are imported inside have nothing done at a fork; all others get what they ask for."""
    register = os.register_at_fork

    def choose(**hooks: Any) -> None:
        if sys._getframe(1).f_globals.get("__name__") not in _NEEDLESS_HOOKS:
            register(**hooks)

    os.register_at_fork = choose
    try:
        yield
    finally:
        os.register_at_fork = register


def fork_child(live: Callable[[], NoReturn], known_descriptors: frozenset[int], proc: Proc) -> int:
    """Forks; the child calls `live`, the zygote gets its pid. `proc` shows the zygote itself.

    Raises NotForkable when the zygote has a second thread (its locks would be copied locked) or a descriptor that it
    does not know (a child would inherit it), OSError when the kernel refuses.
    """
    unknown = proc.descriptors(known_descriptors) - known_descriptors
    if unknown:
        raise NotForkable(f"the zygote holds descriptors it does not know: {sorted(unknown)}")
    pid = fork_alone(proc)
    if pid == 0:
        live()
    return pid


def fork_alone(proc: Proc) -> int:
    """fork(2), of a process that has one thread. Raises NotForkable, OSError."""
    threads = proc.threads()
    if threads != 1:
        raise NotForkable(f"the zygote has {threads} threads")
    return os.fork()


def received_descriptors(control: socket.socket, size: int, most: int) -> tuple[bytes, list[int]]:
    """One control message and what came with it, close-on-exec from the first moment (recvmsg(2), MSG_CMSG_CLOEXEC)."""
    data, descriptors, flags, _ = socket.recv_fds(control, size, most, socket.MSG_CMSG_CLOEXEC)
    if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
        for descriptor in descriptors:
            os.close(descriptor)
        raise OSError("a control message was cut")
    return data, descriptors

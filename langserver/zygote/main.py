"""The zygote: hardens itself, preloads one runtime, then forks children on the server's word until the server is gone.

Started as `python -I -X utf8 -m langserver.zygote.main RUNTIME CONTROL_FD LAYERS [--jit] [PACKAGE...]`, with an empty
environment.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from langserver.core.jit import OPTION as JIT_OPTION
from langserver.sandbox import oom, privileges
from langserver.sandbox.jail import ChildLimits, Jail, finish_zygote, harden_zygote, step_of_exit_code
from langserver.sandbox.layers import NAMESPACES, POLICY, parse_layers
from langserver.sandbox.proc import Proc, held_bytes, size_of
from langserver.wire.channel import TaskPipe
from langserver.wire.control import SIZE, Message, Op
from langserver.wire.frames import Kind
from langserver.zygote.child import live, rehearse
from langserver.zygote.fork import (
    Birth,
    NotForkable,
    Seal,
    fork_child,
    received_descriptors,
    without_needless_hooks,
)
from langserver.zygote.immortal import make_immortal
from langserver.zygote.launcher import become_first_process
from langserver.zygote.layout import enlarge_pages, side_by_side
from langserver.zygote.limits import lower_limits
from langserver.zygote.reap import reap, reap_strangers
from langserver.zygote.runtime import Runtime, make_runtime
from langserver.zygote.selftest import SelfTest

_Life = Callable[[Runtime, Seal], NoReturn]


@dataclass(frozen=True, slots=True)
class Idle:
    """What a sealed child uses that has been given nothing: limits and peaks are counted from here.

    `memory_bytes` is what its limit counts, `held_bytes` what is seen of it from outside.
    """

    memory_bytes: int
    held_bytes: int
    max_rss_bytes: int


@dataclass(frozen=True, slots=True)
class Forked:
    """A child that is not reaped yet."""

    slot: int
    pid: int


class Zygote:
    """The loop around one control socket. Single-threaded, and it never reads a byte of any task."""

    def __init__(self, control: socket.socket, runtime: Runtime, jail: Jail, oom_fd: int | None) -> None:
        self._control = control
        self._runtime = runtime
        self._jail = jail
        self._oom_fd = oom_fd
        self._pid = os.getpid()
        self._children: dict[int, Forked] = {}  # by pidfd
        self._own = jail.proc.descriptors()
        self._poller = select.poll()
        self._idle = Idle(0, 0, 0)

    def serve(self) -> None:
        """Tells the server that it is ready, then forks and reaps until the control socket ends."""
        self._runtime.learn(self._rehearse())
        self._idle = self._measure_idle()
        pidfd = os.pidfd_open(self._pid)
        numbers = (*self._runtime.version(), self._idle.held_bytes, self._idle.max_rss_bytes)
        self._tell(Message(Op.READY, 0, numbers), pidfd)
        os.close(pidfd)
        privileges.silence_stderr()
        self._poller.register(self._control, select.POLLIN)
        while True:
            for descriptor, _ in self._poller.poll():
                if descriptor != self._control.fileno():
                    self._reap(descriptor)
                elif not self._obey():
                    return

    def end(self) -> None:
        """Kills what still runs: with the layer `privileges` off nothing else would."""
        for pidfd in self._children:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)

    def _obey(self) -> bool:
        data, descriptors = received_descriptors(self._control, SIZE, 3)
        if not data:
            return False
        message = Message.decode(data)
        if message.op is Op.SPAWN:
            self._spawn(message, descriptors)
        elif message.op is Op.LIMIT:
            self._limit(message)
        elif message.op is Op.TEST:
            self._test()
        return True

    def _spawn(self, message: Message, descriptors: list[int]) -> None:
        memory, cpu, ahead, makes_way, *_ = message.numbers
        input_fd, report_fd, *door = descriptors
        limits = ChildLimits(self._idle.memory_bytes + memory if memory else None, cpu or None, *door)
        life = partial(live, ahead=bool(ahead), makes_way=bool(makes_way))
        try:
            pid = self._fork_task(limits, input_fd, report_fd, *door, life=life)
        except OSError as error:
            self._tell(Message(Op.NOT_SPAWNED, message.slot, (error.errno or 0,)))
            return
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        pidfd = os.pidfd_open(pid)
        self._children[pidfd] = Forked(message.slot, pid)
        self._poller.register(pidfd, select.POLLIN)
        self._tell(Message(Op.SPAWNED, message.slot), pidfd)

    def _fork_task(self, limits: ChildLimits, input_fd: int, report_fd: int, *kept: int, life: _Life = live) -> int:
        runtime = self._runtime
        whole = partial(life, runtime)
        return self._fork(Birth(self._jail, limits, runtime.wake, whole, input_fd, report_fd, frozenset(kept)))

    def _fork(self, birth: Birth) -> int:
        def seal(tell: Callable[[str], None]) -> None:
            birth.jail.seal(birth.report_fd, birth.input_fd, self._pid, birth.limits, birth.wake, tell)

        known = self._own | frozenset(self._children) | birth.descriptors
        # A child inherits the score and can't write it any more: it is raised around the fork (proc(5)).
        with oom.first_to_die(self._oom_fd) if self._oom_fd is not None else nullcontext():
            return fork_child(lambda: birth.live(seal), known, self._jail.proc)

    def _test(self) -> None:
        """Tries the jail and tells each answer. Its children hold no task: what is open beside is no risk to one."""
        for number, answer in SelfTest(self._runtime, self._jail, self._idle.memory_bytes, self._fork).answers():
            self._tell(Message(Op.TRIED, number, (answer,)))
        self._idle = self._measure_idle()  # trying made it a little larger, and no task pays for that

    def _limit(self, message: Message) -> None:
        memory, cpu, makes_way, *_ = message.numbers
        pid = next((child.pid for child in self._children.values() if child.slot == message.slot), None)
        ceiling = self._idle.memory_bytes + memory if memory else None
        errno = 0 if pid is None else lower_limits(self._runtime.name, pid, ceiling, cpu or None, bool(makes_way))
        self._tell(Message(Op.LIMITED, message.slot, (errno,)))

    def _reap(self, pidfd: int) -> None:
        child = self._children.pop(pidfd)
        self._tell(Message(Op.EXIT, child.slot, reap(child.pid)))  # first: a call waits for it
        self._poller.unregister(pidfd)
        os.close(pidfd)
        reap_strangers({other.pid for other in self._children.values()})

    def _tell(self, message: Message, *descriptors: int) -> None:
        if descriptors:
            socket.send_fds(self._control, [message.encode()], descriptors)
        else:
            self._control.send(message.encode())

    def _rehearse(self) -> bytes:
        """Forks one child that rehearses. Exits with the reason when it cannot."""
        input_read, input_write = os.pipe2(os.O_CLOEXEC)
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        kept = (input_write, report_read)
        pid = self._fork_task(ChildLimits(None, None), input_read, report_write, *kept, life=rehearse)
        os.close(input_read)
        os.close(report_write)
        rehearsed = b"".join(iter(partial(os.read, report_read, 1 << 16), b""))
        os.close(input_write)
        os.close(report_read)
        if how := _how_it_ended(pid):
            sys.exit(f"a child could not be sealed: {how}")
        return rehearsed

    def _measure_idle(self) -> Idle:
        """Forks one child that is sealed, handed nothing and ended. Exits with the reason when it cannot be sealed."""
        input_read, input_write = os.pipe2(os.O_CLOEXEC)
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        pid = self._fork_task(ChildLimits(None, None), input_read, report_write, input_write, report_read)
        os.close(input_read)
        os.close(report_write)
        try:
            TaskPipe(report_read).read(Kind.SEALED)
            status = self._jail.proc.status(pid)
            memory, held = size_of(status, b"VmData" if self._runtime.name == "js" else b"VmSize"), held_bytes(status)
        except EOFError:
            sys.exit(f"a child could not be sealed: {_how_it_ended(pid)}")
        except FileNotFoundError:  # proc(5), hidepid
            sys.exit("/proc hides its own children from it: mount it without hidepid, or allow user namespaces")
        except KeyError as error:
            sys.exit(f"/proc shows no {error} of a child")
        # Not by the end of its input: without the layer `privileges` it holds the other end of that pipe itself.
        os.kill(pid, signal.SIGKILL)
        os.close(input_write)
        os.close(report_read)
        *_, max_rss = reap(pid)
        return Idle(memory, held, max_rss)


def _how_it_ended(pid: int) -> str:
    """Of a child that was to be sealed: the step of the jail in which it ended; '' when all was well."""
    code, number, *_ = reap(pid)
    return step_of_exit_code(code) or (f"exit status {code}, signal {number}" if code else "")


def prepare(
    name: str, layers: frozenset[str], control_fd: int, packages: tuple[str, ...] = (), jit: bool = False
) -> tuple[Runtime, Jail, int | None]:
    """Makes this process one that children of runtime `name` can be forked from; it keeps `control_fd` open.

    `packages` are what the operator adds to the runtime; with `jit` its engine compiles.

    Returns the runtime, preloaded, the jail of the children, and the descriptor of the OOM score. With the layer
    `namespaces` it returns in another process. Raises LayerUnavailable, SandboxError, NotForkable, OSError, SystemExit.
    """
    parent_pid = os.getppid()  # not given: what stands in argv is readable in every child
    inside = None
    if NAMESPACES in layers:
        inside = become_first_process(layers, parent_pid)
        parent_pid = os.getppid()
    oom_fd = oom.open_score()
    harden_zygote(layers, control_fd, parent_pid, oom_fd, inside)
    os.environ.clear()
    # Else `sysconfig`, which `zoneinfo` asks for its folders, looks up who this is, with libraries of the host's.
    os.environ["PYTHONUSERBASE"] = "/"
    with side_by_side(), without_needless_hooks():
        runtime = make_runtime(name, POLICY in layers, packages, jit)
        runtime.preload()
    os.environ.pop("PYTHONUSERBASE", None)  # a package may have done so
    jail = Jail(name, layers, inside.proc if inside else Proc(), jit)
    finish_zygote(layers, inside)
    gc.collect()
    gc.disable()
    make_immortal()
    gc.freeze()
    enlarge_pages(jail.proc)
    return runtime, jail, oom_fd


def main(argv: list[str]) -> None:
    """Runs a zygote. Raises SystemExit with the reason when it cannot start."""
    name, control_fd, layer_names, *packages = argv
    jit = packages[:1] == [JIT_OPTION]
    runtime, jail, oom_fd = prepare(name, parse_layers(layer_names), int(control_fd), tuple(packages[jit:]), jit)
    control = socket.socket(fileno=int(control_fd))
    zygote = Zygote(control, runtime, jail, oom_fd)
    try:
        zygote.serve()
    except (NotForkable, OSError) as error:
        sys.exit(str(error))
    finally:
        zygote.end()
        # The kernel closes it when the process has ended: its end tells the server that the last words are there. From
        # CPython 3.13 on the frame of this function, and a socket in it, is freed before they are written.
        control.detach()


if __name__ == "__main__":
    main(sys.argv[1:])

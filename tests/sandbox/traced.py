"""One task in one child, every system call of each of its threads watched: prints those that matter and what it said.

Started as `python -I traced.py ROOT RUNTIME LAYERS [shut]`, the source on stdin. Prints a JSON object: `opened`, path
and result of each open; `refused`, the numbers of the calls that answered EPERM, in order; `ok`, whether the child
reported a success. With `shut` its ruleset leaves the entropy device out.

Without the layer `privileges`: the path of an open is read from the child's memory, and only root may read that of a
process that is not dumpable.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import struct
import sys
from functools import partial

sys.path.insert(0, sys.argv[1])

from langserver.sandbox.jail import ChildLimits, Jail
from langserver.sandbox.landlock import Ruleset
from langserver.sandbox.layers import parse_layers
from langserver.sandbox.proc import Proc
from langserver.wire.conversation import Conversation
from langserver.wire.frames import Kind, encode
from langserver.wire.header import TaskHeader
from langserver.zygote.child import live
from langserver.zygote.runtime import make_runtime

# linux/ptrace.h; the same on every architecture.
TRACEME, CONT, SYSCALL, SET_OPTIONS, GET_SYSCALL_INFO = 0, 7, 24, 0x4200, 0x420E
TRACE_SYSGOOD, TRACE_CLONE, EXIT_KILL = 1, 8, 0x100000
ENTRY, EXIT = 1, 2
EVERY_THREAD = 0x40000000  # __WALL
OPENAT = {"x86_64": 257, "aarch64": 56}[os.uname().machine]
CAP = 1 << 20

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request: int, thread: int, address: int = 0, data: int = 0) -> None:
    if libc.ptrace(request, thread, address, data) == -1:
        raise OSError(ctypes.get_errno(), f"ptrace {request}")


def syscall_info(thread: int) -> tuple[int, tuple[int, ...]]:
    """Whether a call begins or has ended; its number and arguments, or its result."""
    buffer = ctypes.create_string_buffer(88)
    ptrace(GET_SYSCALL_INFO, thread, len(buffer), ctypes.addressof(buffer))
    (kind,) = struct.unpack_from("B", buffer)
    return kind, struct.unpack_from("=Q6Q" if kind == ENTRY else "=q", buffer, 24)


def text_at(process: int, address: int) -> str:
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        page_end = -address % 4096 or 4096
        return memory.read(min(page_end, 200)).partition(b"\0")[0].decode()


class Trace:
    """What the threads of `process` did so far."""

    def __init__(self, process: int) -> None:
        self.process = process
        self.opened: list[tuple[str, int]] = []
        self.refused: list[int] = []
        self._begun: dict[int, tuple[int, str]] = {}

    def stopped(self, thread: int) -> None:
        kind, numbers = syscall_info(thread)
        if kind == ENTRY:
            path = text_at(self.process, numbers[2]) if numbers[0] == OPENAT else ""
            self._begun[thread] = (numbers[0], path)
        elif kind == EXIT and thread in self._begun:
            number, path = self._begun.pop(thread)
            if path:
                self.opened.append((path, numbers[0]))
            if numbers[0] == -1:
                self.refused.append(number)

    def follow(self) -> None:
        """Until the process has ended."""
        while True:
            thread, status = os.waitpid(-1, EVERY_THREAD)
            if not os.WIFSTOPPED(status):
                if thread == self.process:
                    return
                continue
            number = os.WSTOPSIG(status)
            if number == signal.SIGTRAP | 0x80:
                self.stopped(thread)
            is_ours = number in (signal.SIGTRAP | 0x80, signal.SIGTRAP, signal.SIGSTOP)
            ptrace(SYSCALL, thread, 0, 0 if is_ours else number)


def main() -> None:
    _, _, name, layer_names, *rest = sys.argv
    runtime = make_runtime(name, True, ())
    runtime.preload()
    jail = Jail(name, parse_layers(layer_names), Proc())
    if rest == ["shut"]:
        jail.ruleset = Ruleset("python")
    input_read, input_write = os.pipe()
    report_read, report_write = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        ptrace(TRACEME, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        seal = partial(jail.seal, report_write, input_read, parent, ChildLimits(None, None), runtime.wake)
        live(runtime, seal)
    os.close(input_read)
    os.close(report_write)
    header = TaskHeader("run", "UTC", None, "task", CAP, CAP)
    source = encode(Kind.SOURCE, sys.stdin.buffer.read())
    task = encode(Kind.HEADER, header.encode()) + source + encode(Kind.INPUT, b"{}") + encode(Kind.GO)
    os.write(input_write, task)  # less than a pipe holds
    os.close(input_write)
    os.waitpid(pid, 0)
    ptrace(SET_OPTIONS, pid, 0, TRACE_SYSGOOD | TRACE_CLONE | EXIT_KILL)
    ptrace(SYSCALL, pid)
    trace = Trace(pid)
    trace.follow()
    said = Conversation(CAP, CAP)
    said.hear(os.read(report_read, CAP))
    ok = said.report is not None and not said.report.failures
    print(json.dumps({"opened": trace.opened, "refused": trace.refused, "ok": ok}))


main()

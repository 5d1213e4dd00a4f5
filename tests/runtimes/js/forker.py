"""A process like a zygote: preloads the runtime once, then forks one sealed child a task. Started by `driver.Forker`.

argv: the number of a SOCK_SEQPACKET socket, `jit` or `jitless`, and modules to add. A message is a memory limit in MiB
over the idle child, with two descriptors: the child's report end and its input end. The answers are the child's pid,
and then its wait status and peak in KiB.
"""

from __future__ import annotations

import gc
import os
import re
import socket
import sys
from typing import NoReturn

from langserver.js_runtime import JsRuntime
from langserver.sandbox.errors import LayerUnavailable
from langserver.sandbox.jail import ChildLimits, Jail
from langserver.sandbox.layers import AUDIT, LANDLOCK, PRIVILEGES, RLIMITS, SECCOMP
from langserver.sandbox.proc import Proc
from langserver.wire.channel import Channel, TaskPipe
from langserver.wire.frames import Kind
from langserver.wire.header import TaskHeader
from langserver.wire.strict_json import BadInput

_LAYERS = frozenset({AUDIT, PRIVILEGES, RLIMITS, SECCOMP})


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    jit = sys.argv[2] == "jit"
    runtime = JsRuntime(policy=True, modules=sys.argv[3:], jit=jit)
    runtime.preload()
    runtime.learn(rehearse(runtime))
    idle_bytes = measure_idle(runtime)
    try:
        jail = Jail("js", _LAYERS | {LANDLOCK}, Proc(), jit)
    except LayerUnavailable:  # a kernel without it
        jail = Jail("js", _LAYERS, Proc(), jit)
    gc.disable()
    me = os.getpid()
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 64, 2)
        if not message:
            return
        limits = ChildLimits(idle_bytes + (int(message) << 20), None)
        pid = os.fork()
        if not pid:
            try:
                jail.seal(*descriptors, me, limits, runtime.wake, lambda event: None)
                live(runtime)
            finally:
                os._exit(63)
        for descriptor in descriptors:
            os.close(descriptor)
        control.send(str(pid).encode())
        _, status, usage = os.wait4(pid, 0)
        control.send(f"{status} {usage.ru_maxrss}".encode())


def rehearse(runtime: JsRuntime) -> bytes:
    """What a child compiles of our own scripts."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if not pid:
        runtime.wake()
        with open(write_end, "wb") as pipe:
            pipe.write(runtime.rehearse())
        os._exit(0)
    os.close(write_end)
    with open(read_end, "rb") as pipe:
        told = pipe.read()
    os.waitpid(pid, 0)
    return told


def measure_idle(runtime: JsRuntime) -> int:
    """Private writable memory of a child that has its isolate and no task."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if not pid:
        runtime.wake()
        with open("/proc/self/status") as status:
            found = re.search(r"VmData:\s+(\d+) kB", status.read())
        os.write(write_end, found[1].encode() if found else b"")
        os._exit(0)
    os.waitpid(pid, 0)
    size = int(os.read(read_end, 64)) << 10
    os.close(read_end)
    os.close(write_end)
    return size


def live(runtime: JsRuntime) -> NoReturn:
    """The life of a sealed child, as the zygote's child code has it."""
    channel, pipe = Channel(3), TaskPipe(4)
    channel.sealed()
    runtime.warm_up()
    header = TaskHeader.decode(pipe.read(Kind.HEADER))
    channel.set_log_budget(header.log_bytes)
    gc.enable()
    program = runtime.compile(header, pipe.read(Kind.SOURCE).decode())
    text = pipe.read(Kind.INPUT)
    pipe.read(Kind.GO)
    try:
        inputs = runtime.parse_input(text)
    except BadInput as bad:
        channel.bad_input(str(bad))
        os._exit(0)
    pipe.close()
    runtime.reseed(header)
    channel.started()
    if header.mode == "validate":
        runtime.validate(program, channel)
    else:
        runtime.run(program, inputs, header, channel)
    os._exit(0)


if __name__ == "__main__":
    main()

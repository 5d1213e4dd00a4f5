"""Starting a zygote: an exec with an empty environment, and its first words."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from weakref import WeakSet

from langserver.core.jit import OPTION as JIT_OPTION
from langserver.core.verdict import CODE_BYTES
from langserver.sandbox.layers import format_layers
from langserver.wire.control import SIZE, ControlError, Message, Op
from langserver.zygote import pidfd
from langserver.zygote.failures import ZygoteError

# Isolated: no variable, no user folder and no current folder tells it what to import; UTF-8 without a locale.
_INTERPRETER = ("-I", "-X", "utf8", "-m", "langserver.zygote.main")
_START_SECONDS = 60.0  # a loaded machine; a zygote takes well under one second
_END_SECONDS = 5.0
_STDERR_BYTES = 64 << 10  # what a pipe holds


@dataclass(frozen=True, slots=True)
class Facts:
    """What a zygote told of itself when it was ready: of a child that does nothing, what it holds and its peak RSS.

    `code_bytes` is what its engine has for machine code, 0 where it compiles nothing.
    """

    version: str
    idle_held_bytes: int
    idle_rss_bytes: int
    code_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Launched:
    """A zygote that is ready: `pid` and `pidfd` are its own.

    `process` is what was started: the zygote itself, or, with the layer `namespaces`, the launcher that waits for it.
    """

    pid: int
    pidfd: int
    process: subprocess.Popen[bytes]
    control: socket.socket
    facts: Facts


async def launch(runtime: str, layers: frozenset[str], packages: tuple[str, ...] = (), jit: bool = False) -> Launched:
    """Starts a zygote and waits until it is ready. Raises ZygoteError.

    `packages` are what the operator adds to the runtime; with `jit` its engine compiles.
    Call it in the main thread: PDEATHSIG follows the thread that started a process (PR_SET_PDEATHSIG(2const)).
    """
    try:
        process, control = _exec(runtime, layers, packages, jit)
    except OSError as error:
        raise ZygoteError(f"the {runtime} zygote could not start: {error.strerror}") from None
    try:
        async with asyncio.timeout(_START_SECONDS):
            message, pid, descriptor = await _ready(control, process.pid)
    except (_NotReady, TimeoutError, OSError, ControlError) as error:
        control.close()
        await asyncio.to_thread(_end, process)
        why = _last_words(process) or str(error) or "it said nothing"
        raise ZygoteError(f"the {runtime} zygote could not start: {why}") from None
    except asyncio.CancelledError:
        control.close()
        _end(process)
        raise
    finally:
        assert process.stderr is not None  # asked for in Popen
        process.stderr.close()
    *version, idle_held, idle_rss = message.numbers
    name = ".".join(map(str, version)).removesuffix(".0")
    facts = Facts(name, idle_held, idle_rss, CODE_BYTES if jit else 0)
    return Launched(pid, descriptor, process, control, facts)


_started: WeakSet[subprocess.Popen[bytes]] = WeakSet()


def running() -> set[int]:
    """The numbers of all processes that `launch` started and that have not ended; those that have are waited for."""
    return {process.pid for process in _started if process.poll() is None}


def _exec(
    runtime: str, layers: frozenset[str], packages: tuple[str, ...], jit: bool
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    options = [JIT_OPTION] if jit else []
    try:
        process = subprocess.Popen(
            [sys.executable, *_INTERPRETER, runtime, str(theirs.fileno()), format_layers(layers), *options, *packages],
            env={},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()
    _started.add(process)
    ours.setblocking(False)
    return process, ours


class _NotReady(Exception):
    """The zygote ended instead."""


async def _ready(control: socket.socket, started: int) -> tuple[Message, int, int]:
    """The zygote's first message, its pid and its pidfd. Raises _NotReady, ControlError, OSError.

    `started` is the process that was started, the zygote itself or its launcher.
    """
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()  # it may be set again, also when nobody waits any more
    loop.add_reader(control, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(control)
    data, descriptors, _, _ = socket.recv_fds(control, SIZE + 1, 1, socket.MSG_CMSG_CLOEXEC)
    try:
        if not data:
            raise _NotReady
        message = Message.decode(data)
        if message.op is not Op.READY or not descriptors:
            raise ControlError(f"expected READY and a descriptor, got {message.op.name}")
        pid = pidfd.pid_of(descriptors[0])
        if pid != started and not pidfd.is_below(descriptors[0]):
            raise ControlError("its descriptor is of another process")
        return message, pid, descriptors.pop()
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a zygote that is starting; with a launcher, both: it takes SIGTERM for both, SIGKILL only for itself."""
    process.terminate()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:  # it is stopped
        process.kill()
        process.wait()


def _last_words(process: subprocess.Popen[bytes]) -> str:
    """The last line of what an ended zygote had said; empty when it said nothing."""
    assert process.stderr is not None  # asked for in Popen
    # What the pipe holds, and no waiting for its end: somebody else may hold it open.
    os.set_blocking(process.stderr.fileno(), False)
    words = (process.stderr.read(_STDERR_BYTES) or b"").decode("utf-8", "replace").strip()
    return words.splitlines()[-1] if words else ""

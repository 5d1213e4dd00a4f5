"""The server's handle on one zygote and its children: no task data, only control messages, descriptors and exits."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from langserver.core.verdict import Exit
from langserver.sandbox.layers import format_layers
from langserver.wire.control import SIZE, ControlError, Message, Op

T = TypeVar("T")

# Isolated: no variable, no user folder and no current folder tells it what to import; UTF-8 without a locale.
_INTERPRETER = ("-I", "-X", "utf8", "-m", "langserver.zygote.main")
_START_SECONDS = 60.0  # a loaded machine; a zygote takes well under one second
_ANSWER_SECONDS = 20.0  # a zygote answers within milliseconds, or it is stopped or stuck
_FAREWELL_SECONDS = 5.0
_STDERR_BYTES = 4 << 10


class ZygoteError(Exception):
    """A zygote could not start; the text holds its last words."""


class ZygoteLost(Exception):
    """The zygote died, or stopped answering and was killed."""


class SpawnRefused(Exception):
    """The kernel gave no process; the text says why."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a zygote told of itself when it was ready."""

    version: str
    idle_rss_bytes: int


class Child:
    """One forked child: its pipes (non-blocking here), its pidfd, and the future of its end.

    `exit` gives None when the zygote died and the status with it.
    """

    def __init__(self, zygote: Zygote, slot: int, input_fd: int, report_fd: int) -> None:
        self.zygote = zygote
        self.slot = slot
        self.input_fd = input_fd
        self.report_fd = report_fd
        self.pid = 0
        self.exit: asyncio.Future[Exit | None] = asyncio.get_running_loop().create_future()
        self.spawned: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._limited: asyncio.Future[int] | None = None
        self._pidfd = -1

    @property
    def idle_rss_bytes(self) -> int:
        """Peak RSS of a child of this zygote that did nothing."""
        return self.zygote.facts.idle_rss_bytes

    def kill(self) -> None:
        """SIGKILL, through the pidfd: never to a process that took over the number."""
        if self._pidfd >= 0:
            try:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it ended by itself meanwhile

    async def limit(self, memory_bytes: int, cpu_seconds: int) -> None:
        """Has the zygote lower the limits (0: leave one). Raises ZygoteLost, SpawnRefused."""
        self._limited = asyncio.get_running_loop().create_future()
        self.zygote.tell(Message(Op.LIMIT, self.slot, (memory_bytes, cpu_seconds)))
        errno = await self.zygote.answer(self._limited)
        if errno:
            raise SpawnRefused(f"the limits of a child could not be lowered: {os.strerror(errno)}")

    def close_input(self) -> None:
        """Nothing more is sent."""
        if self.input_fd >= 0:
            os.close(self.input_fd)
            self.input_fd = -1

    def close(self) -> None:
        """Gives every descriptor back; may be called twice."""
        self.close_input()
        if self.report_fd >= 0:
            os.close(self.report_fd)
            self.report_fd = -1
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1

    def take_message(self, message: Message, descriptors: list[int]) -> None:
        """What the zygote says of this child."""
        numbers = message.numbers
        if message.op is Op.SPAWNED and len(descriptors) == 1:
            self._pidfd = descriptors.pop()
            self.pid = numbers[0]
            _settle(self.spawned, None)
        elif message.op is Op.NOT_SPAWNED:
            _fail(self.spawned, SpawnRefused(f"no process could be forked: {os.strerror(numbers[0])}"))
        elif message.op is Op.LIMITED and self._limited is not None:
            _settle(self._limited, numbers[0])
        elif message.op is Op.EXIT:
            code, number, cpu, max_rss = numbers[:4]
            _settle(self.exit, Exit(None if number else code, number or None, cpu / 1e6, max_rss))

    async def lose(self) -> None:
        """The zygote is gone, and with it every status; its children die with it (PDEATHSIG), which is waited for."""
        _fail(self.spawned, ZygoteLost())
        if self._limited is not None:
            _fail(self._limited, ZygoteLost())
        self.kill()
        if self._pidfd >= 0 and not self.exit.done():
            await _until_readable(os.dup(self._pidfd))
        _settle(self.exit, None)


class Zygote:
    """One zygote process. Make it with `start`."""

    def __init__(self, runtime: str, process: subprocess.Popen[bytes], control: socket.socket, facts: Facts) -> None:
        self.runtime = runtime
        self.facts = facts
        self.lost = False
        self.on_lost: Callable[[], None] = _nothing
        self._process = process
        self._control = control
        self._children: dict[int, Child] = {}
        self._slots = 0
        self._idle = asyncio.Event()
        self._farewells: set[asyncio.Task[None]] = set()
        asyncio.get_running_loop().add_reader(control.fileno(), self._listen)

    @classmethod
    async def start(cls, runtime: str, layers: frozenset[str]) -> Zygote:
        """Starts a zygote and waits until it is ready. Raises ZygoteError.

        Call it in the main thread: PDEATHSIG follows the thread that started a process (PR_SET_PDEATHSIG(2const)).
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            process = subprocess.Popen(  # noqa: ASYNC220 - an exec, by vfork: no thread may do it
                [sys.executable, *_INTERPRETER, runtime, str(theirs.fileno()), str(os.getpid()), format_layers(layers)],
                env={},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        ours.setblocking(False)
        try:
            async with asyncio.timeout(_START_SECONDS):
                message = await _ready(ours)
        except (ZygoteError, TimeoutError, OSError, ControlError):
            ours.close()
            process.kill()
            raise ZygoteError(await asyncio.to_thread(_last_words, runtime, process)) from None
        except asyncio.CancelledError:
            ours.close()
            process.kill()
            process.wait()
            _close_stderr(process)
            raise
        _close_stderr(process)
        *version, _, idle_rss = message.numbers
        return cls(runtime, process, ours, Facts(".".join(map(str, version)).removesuffix(".0"), idle_rss))

    @property
    def pid(self) -> int:
        """Of the zygote."""
        return self._process.pid

    @property
    def children(self) -> int:
        """Children that are not released."""
        return len(self._children)

    async def spawn(self, memory_bytes: int, cpu_seconds: int) -> Child:
        """Forks a child with these limits (growth in bytes, seconds; 0: none).

        Returns once it has a pidfd, sealed or not. Raises ZygoteLost, SpawnRefused.
        """
        if self.lost:
            raise ZygoteLost
        input_read, input_write = os.pipe2(os.O_CLOEXEC)
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(input_write, False)
        os.set_blocking(report_read, False)
        self._slots += 1
        child = Child(self, self._slots, input_write, report_read)
        self._children[child.slot] = child
        try:
            self.tell(Message(Op.SPAWN, child.slot, (memory_bytes, cpu_seconds)), input_read, report_write)
            await self.answer(child.spawned)
        except (ZygoteLost, SpawnRefused, asyncio.CancelledError):
            child.kill()
            self.release(child)
            raise
        finally:
            os.close(input_read)
            os.close(report_write)
        return child

    def release(self, child: Child) -> None:
        """Gives up a child that has ended, or never was."""
        self._children.pop(child.slot, None)
        child.close()
        if not self._children:
            self._idle.set()

    async def idle(self) -> None:
        """Waits until no child is left, or the zygote is lost."""
        while self._children and not self.lost:
            self._idle.clear()
            await self._idle.wait()

    def tell(self, message: Message, *descriptors: int) -> None:
        """Sends one control message. Raises ZygoteLost."""
        if self.lost:
            raise ZygoteLost
        try:
            socket.send_fds(self._control, [message.encode()], descriptors)
        except OSError:  # gone, or its queue of messages is full: it does not read any more
            self.give_up()
            raise ZygoteLost from None

    async def answer(self, future: asyncio.Future[T]) -> T:
        """Waits for an answer of the zygote; one that does not come makes it a lost one. Raises ZygoteLost."""
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                return await asyncio.shield(future)
        except TimeoutError:
            self.give_up()
            raise ZygoteLost from None

    def give_up(self) -> None:
        """Kills a zygote that does not do its work any more."""
        self._process.kill()
        self._lose()

    async def close(self) -> None:
        """Ends the zygote and what it still has, and waits until all of it is gone."""
        self._lose()
        while self._farewells:
            await asyncio.gather(*self._farewells)

    def _listen(self) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(self._control, SIZE, 1, socket.MSG_CMSG_CLOEXEC)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        if not data:
            self._lose()
            return
        try:
            message = Message.decode(data)
            child = self._children.get(message.slot)
            if child is not None:  # of a slot that was given up: nobody waits for it
                child.take_message(message, descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _lose(self) -> None:
        if self.lost:
            return
        self.lost = True
        self._idle.set()
        asyncio.get_running_loop().remove_reader(self._control.fileno())
        self._control.close()
        for child in list(self._children.values()):
            self._farewell(child.lose())
        self._farewell(self._bury())
        self.on_lost()

    def _farewell(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._farewells.add(task)
        task.add_done_callback(self._farewells.discard)

    async def _bury(self) -> None:
        deadline = asyncio.get_running_loop().time() + _FAREWELL_SECONDS
        while self._process.poll() is None:
            if asyncio.get_running_loop().time() > deadline:
                self._process.kill()
            await asyncio.sleep(0.005)


async def _ready(control: socket.socket) -> Message:
    data = await asyncio.get_running_loop().sock_recv(control, SIZE)
    if not data:
        raise ZygoteError
    message = Message.decode(data)
    if message.op is not Op.READY:
        raise ControlError(f"expected READY, got {message.op.name}")
    return message


def _last_words(runtime: str, process: subprocess.Popen[bytes]) -> str:
    assert process.stderr is not None  # asked for in Popen
    words = process.stderr.read()[-_STDERR_BYTES:].decode("utf-8", "replace").strip()
    process.wait()
    process.stderr.close()
    return f"the {runtime} zygote could not start: {words.splitlines()[-1] if words else 'it said nothing'}"


def _close_stderr(process: subprocess.Popen[bytes]) -> None:
    if process.stderr is not None:
        process.stderr.close()


async def _until_readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    readable = loop.create_future()
    loop.add_reader(descriptor, lambda: _settle(readable, None))
    try:
        async with asyncio.timeout(_FAREWELL_SECONDS):
            await readable
    except TimeoutError:
        pass  # a process in an uninterruptible wait: it has its SIGKILL
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _settle(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)


def _fail(future: asyncio.Future[None] | asyncio.Future[int], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # nobody may wait for it: that is no error


def _nothing() -> None:
    return

"""The server's handle on one child: pipes, pidfd, and what its zygote says of it."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, TypeVar

from langserver.core.verdict import SLACK_BYTES, Exit
from langserver.wire.control import ControlError, Message, Op
from langserver.zygote import pidfd
from langserver.zygote.failures import SpawnRefused, ZygoteLost

if TYPE_CHECKING:
    from langserver.sandbox.cgroup import Group
    from langserver.zygote.client import Zygote

T = TypeVar("T")

_DEATH_SECONDS = 5.0
_MAX_ERRNO = 4095  # include/linux/err.h


class Child:
    """One forked child: its pipes (non-blocking here), its pidfd, and the future of its end.

    `exit` gives None when the zygote died and the status with it; it is cancelled when there is no process.
    """

    def __init__(self, zygote: Zygote, slot: int, input_fd: int, report_fd: int, makes_way: bool = False) -> None:
        self.zygote = zygote
        self.slot = slot
        self.input_fd = input_fd
        self.report_fd = report_fd
        self.makes_way = makes_way  # on the cores, for the tasks of others
        self.exit: asyncio.Future[Exit | None] = asyncio.get_running_loop().create_future()
        self.spawned: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._limited: asyncio.Future[int] | None = None
        self.group: Group | None = None
        self.sealed = False  # whoever hears it say so notes it here
        self._pidfd = -1

    @property
    def pid(self) -> int:
        """Its number as this process sees it; 0 before it is spawned and when it is gone."""
        return pidfd.pid_of(self._pidfd) if self._pidfd >= 0 else 0

    @property
    def idle_rss_bytes(self) -> int:
        """Peak RSS of a child of this zygote that did nothing."""
        return self.zygote.facts.idle_rss_bytes

    @property
    def code_bytes(self) -> int:
        """Its memory for machine code, 0 where its engine compiles nothing."""
        return self.zygote.facts.code_bytes

    def open_status(self) -> int:
        """A descriptor of what the kernel shows of it. Raises ProcessLookupError, PermissionError, OSError."""
        return pidfd.open_status(self._pidfd)

    def kill(self) -> None:
        """SIGKILL, as soon as it is spawned."""
        if self._pidfd >= 0:
            pidfd.kill(self._pidfd)

    def say_time_is_up(self) -> None:
        """SIGXCPU, at which a Python child says where its program stands, and ends."""
        if self._pidfd >= 0:
            pidfd.send(self._pidfd, signal.SIGXCPU)

    @property
    def ran_out(self) -> bool:
        """Whether the kernel killed it because its control group was full. Raises OSError."""
        return self.group is not None and self.group.ran_out()

    async def limit(self, memory_bytes: int, cpu_seconds: int, makes_way: bool) -> None:
        """Lowers the limits (0: leave one), most of them by its zygote, and its share of the cores where it makes way.

        Raises ZygoteLost, SpawnRefused.
        """
        if self.group is not None and memory_bytes:
            try:
                self.group.limit(memory_bytes + SLACK_BYTES)
            except OSError as error:
                raise SpawnRefused(f"the control group of a child could not be lowered: {error.strerror}") from None
        self.makes_way = self.makes_way or makes_way
        self._limited = asyncio.get_running_loop().create_future()
        self.zygote.tell(Message(Op.LIMIT, self.slot, (memory_bytes, cpu_seconds, int(makes_way))))
        errno = await self.zygote.answer(self._limited)
        if errno:
            raise SpawnRefused(f"the limits of a child could not be lowered: {_reason(errno)}")

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
        """What the zygote says of this child. Raises ControlError for what it cannot say now."""
        numbers = message.numbers
        if message.op is Op.SPAWNED and not self.spawned.done():
            self._take_pidfd(descriptors)
        elif message.op is Op.NOT_SPAWNED and not self.spawned.done():
            _fail(self.spawned, SpawnRefused(f"no process could be forked: {_reason(numbers[0])}"))
            self.exit.cancel()  # nobody will tell of it
        elif message.op is Op.LIMITED and self._limited is not None and not self._limited.done():
            _reason(numbers[0])
            _settle(self._limited, numbers[0])
        elif message.op is Op.EXIT and self.spawned.done() and not self.exit.done():
            self._take_exit(numbers)
        else:
            raise ControlError(f"{message.op.name} does not come now")

    def _take_pidfd(self, descriptors: list[int]) -> None:
        if not descriptors:  # the kernel had no number left for it; without its pipes the child ends by itself
            _fail(self.spawned, SpawnRefused("no descriptor is left for a child: raise the limit of open files"))
            return
        try:
            owned = self.zygote.owns(descriptors[0])
        except OSError as error:  # not even one to read /proc with
            _fail(self.spawned, SpawnRefused(f"a child could not be looked at: {error.strerror}"))
            return
        if not owned:
            raise ControlError("that is no child of its")
        self._pidfd = descriptors.pop()
        _settle(self.spawned, None)

    def _take_exit(self, numbers: tuple[int, ...]) -> None:
        code, number, cpu, max_rss = numbers[:4]
        if self._pidfd >= 0 and not pidfd.has_ended(self._pidfd):
            raise ControlError("that child has not ended")
        if not (-1 <= code <= 255 and 0 <= number <= signal.SIGRTMAX and cpu >= 0 and max_rss >= 0):
            raise ControlError("no process ends like that")
        _settle(self.exit, Exit(None if number else code, number or None, cpu / 1e6, max_rss))

    async def lose(self) -> None:
        """The zygote is gone, and with it every status; its children die with it (PDEATHSIG), which is waited for."""
        _fail(self.spawned, ZygoteLost())
        if self._limited is not None:
            _fail(self._limited, ZygoteLost())
        self.kill()
        try:
            if self._pidfd >= 0 and not self.exit.done():
                await _until_readable(self._pidfd)
        finally:
            _settle(self.exit, None)


async def _until_readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    readable = loop.create_future()
    loop.add_reader(descriptor, lambda: _settle(readable, None))
    try:
        async with asyncio.timeout(_DEATH_SECONDS):
            await readable
    except TimeoutError:
        pass  # a process in an uninterruptible wait: it has its SIGKILL
    finally:
        loop.remove_reader(descriptor)


def _settle(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)


def _fail(future: asyncio.Future[None] | asyncio.Future[int], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # nobody may wait for it: that is no error


def _reason(errno: int) -> str:
    if not -1 <= errno <= _MAX_ERRNO:  # os.strerror raises for what does not fit a C int
        raise ControlError(f"there is no errno {errno}")
    return os.strerror(errno)

"""The server's handle on one zygote and its children: no task data, only control messages, descriptors and exits."""

from __future__ import annotations

import asyncio
import errno
import itertools
import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from langserver.core.verdict import SLACK_BYTES
from langserver.sandbox import cgroup
from langserver.sandbox.cgroup import Group, Tree
from langserver.sandbox.errors import SandboxError
from langserver.sandbox.layers import CGROUP
from langserver.sandbox.selftest import Finding, checks, judge, trials
from langserver.wire.control import SIZE, ControlError, Message, Op
from langserver.zygote import pidfd
from langserver.zygote.child_handle import Child
from langserver.zygote.failures import SpawnRefused, ZygoteError, ZygoteLost
from langserver.zygote.launch import Launched, launch
from langserver.zygote.watch import Watch

T = TypeVar("T")

log = logging.getLogger(__name__)

_QUIET_SECONDS = 10.0  # a zygote that owes an answer says something within milliseconds, or it is stopped or stuck
_ANSWER_SECONDS = 60.0  # and answers in the end
_FAREWELL_SECONDS = 5.0
_TOO_MANY_SECONDS = 0.005
_LAST_WORDS = (Op.NOT_SPAWNED, Op.EXIT)
_GROUP_SECONDS = 0.1  # a group can go when the last process in it has
_GROUP_TRIES = 100
_images = itertools.count(1)


class Zygote:
    """One zygote process, `pid` its number here. Make it with `start`.

    `image` is a number that no other has, and a later one's is higher: its children come from one memory image.
    """

    def __init__(self, runtime: str, launched: Launched, tree: Tree | None) -> None:
        self.runtime = runtime
        self.image = next(_images)
        self.facts = launched.facts
        self.watch = Watch(launched.facts.idle_held_bytes)
        self.lost = False
        self.on_lost: Callable[[], None] = _nothing
        self.pid = launched.pid
        self._tree = tree
        self._process = launched.process
        self._inside = launched.pid != launched.process.pid  # in namespaces of its own, behind a launcher
        self._pidfd = launched.pidfd
        self._control = launched.control
        self._children: dict[int, Child] = {}
        self._unsent: deque[tuple[bytes, tuple[int, ...]]] = deque()
        self._slots = 0
        self._forsaken: set[int] = set()  # slots given up before the zygote told of their end
        self._test: asyncio.Future[None] | None = None
        self._tests = 0
        self._heard_at = 0.0
        self._answers: dict[int, int] = {}
        self._idle = asyncio.Event()
        self._farewells: set[asyncio.Task[None]] = set()
        asyncio.get_running_loop().add_reader(self._control.fileno(), self._listen)

    @classmethod
    async def start(
        cls, runtime: str, layers: frozenset[str], packages: tuple[str, ...] = (), jit: bool = False
    ) -> Zygote:
        """A zygote that is ready, with the operator's packages, or with an engine that compiles (`jit`).

        Call it in the main thread. Raises ZygoteError.
        """
        try:
            tree = cgroup.enter() if CGROUP in layers else None
        except (SandboxError, OSError) as error:
            raise ZygoteError(f"control groups could not be had: {error}") from None
        return cls(runtime, await launch(runtime, layers, packages, jit), tree)

    @property
    def children(self) -> int:
        """Children that are not released."""
        return len(self._children)

    def owns(self, descriptor: int) -> bool:
        """Whether a descriptor that it sent is a pidfd, and of a process that is its to name."""
        return pidfd.is_below(descriptor) if self._inside else pidfd.is_child_of(self.pid, descriptor)

    async def spawn(
        self, memory_bytes: int, cpu_seconds: int, *, ahead: bool = False, makes_way: bool = False
    ) -> Child:
        """Forks a child with these limits (growth in bytes, seconds; 0: none); `ahead` when no task waits for it.

        One that `makes_way` has less of the cores than others from its first moment on.

        Returns once it has a pidfd, sealed or not. Cancelled, it ends once the child has come and gone. Raises
        ZygoteLost, SpawnRefused.
        """
        if self.lost:
            raise ZygoteLost
        (input_read, input_write), (report_read, report_write) = _pipes()
        os.set_blocking(input_write, False)
        os.set_blocking(report_read, False)
        self._slots += 1
        child = Child(self, self._slots, input_write, report_read, makes_way=makes_way)
        self._children[child.slot] = child
        handed = [input_read, report_write]
        try:
            if self._tree is not None:
                handed.append(self._make_group(self._tree, child, memory_bytes))
            self.tell(Message(Op.SPAWN, child.slot, (memory_bytes, cpu_seconds, int(ahead), int(makes_way))), *handed)
            await self.answer(child.spawned)
        except (ZygoteLost, SpawnRefused):
            child.kill()
            self.release(child)
            raise
        except asyncio.CancelledError:
            # It is forked all the same. Who asked for it has it until then: else calls that are cancelled would have as
            # many children on the way as they like, before those of others.
            leaving, handed = self._farewell(self._see_out(child, handed)), []
            await asyncio.shield(leaving)
            raise
        finally:
            for descriptor in handed:
                os.close(descriptor)
        return child

    async def _see_out(self, child: Child, handed: list[int]) -> None:
        """Ends a child that nobody waits for, when it has come."""
        try:
            await self.answer(child.spawned)
            child.kill()
            await self.answer(child.exit)
        except (ZygoteLost, SpawnRefused):
            pass  # nothing came
        finally:
            for descriptor in handed:
                os.close(descriptor)
            self.release(child)

    async def try_walls(self, layers: frozenset[str]) -> tuple[Finding, ...]:
        """Has it try its jail, which was made of these layers, before any other child. Raises ZygoteError."""
        self._test = asyncio.get_running_loop().create_future()
        self._answers = {}
        self._tests = len(trials(layers)) + len(checks(self.runtime))
        try:
            self.tell(Message(Op.TEST))
            await self.answer(self._test)
        except ZygoteLost:
            raise ZygoteError(f"the {self.runtime} zygote did not come through its self-test") from None
        return judge(self.runtime, layers, self._answers)

    def release(self, child: Child) -> None:
        """Gives up a child that has ended, or never was."""
        self._children.pop(child.slot, None)
        if not child.exit.done():
            self._forsaken.add(child.slot)
        child.close()
        if child.group is not None:
            _remove(child.group, _GROUP_TRIES)
            child.group = None
        if not self._children:
            self._idle.set()

    def _make_group(self, tree: Tree, child: Child, memory_bytes: int) -> int:
        """Its door, for the zygote. Raises SpawnRefused."""
        try:
            child.group = tree.make(self.runtime, memory_bytes + SLACK_BYTES if memory_bytes else None)
            return child.group.open_door()
        except OSError as error:
            raise SpawnRefused(f"no control group could be made for a child: {error.strerror}") from None

    async def idle(self) -> None:
        """Waits until no child is left, or the zygote is lost."""
        while self._children and not self.lost:
            self._idle.clear()
            await self._idle.wait()

    def tell(self, message: Message, *descriptors: int) -> None:
        """Sends one control message, in order, as soon as the socket takes it. Raises ZygoteLost.

        The descriptors must stay open until the message is answered.
        """
        if self.lost:
            raise ZygoteLost
        self._unsent.append((message.encode(), descriptors))
        if len(self._unsent) == 1:
            self._send()
        if self.lost:
            raise ZygoteLost

    def _send(self) -> None:
        if self.lost:
            return
        loop = asyncio.get_running_loop()
        loop.remove_writer(self._control.fileno())
        while self._unsent:
            data, descriptors = self._unsent[0]
            try:
                socket.send_fds(self._control, [data], descriptors)
            except BlockingIOError:
                # A few hundred messages fill it. That a zygote never reads again is noticed in `answer`.
                loop.add_writer(self._control.fileno(), self._send)
                return
            except OSError as error:
                if error.errno == errno.ETOOMANYREFS:  # descriptors under way are counted too (unix(7))
                    loop.call_later(_TOO_MANY_SECONDS, self._send)
                else:
                    self.give_up()
                return
            self._unsent.popleft()

    async def answer(self, future: asyncio.Future[T]) -> T:
        """Waits for an answer of the zygote; one that says nothing meanwhile is a lost one. Raises ZygoteLost.

        It answers in order: while it has much to do, other answers come first.
        """
        loop = asyncio.get_running_loop()
        asked_at = loop.time()
        while True:
            quiet_since = max(asked_at, self._heard_at)
            try:
                async with asyncio.timeout_at(min(quiet_since + _QUIET_SECONDS, asked_at + _ANSWER_SECONDS)):
                    return await asyncio.shield(future)
            except TimeoutError:
                if self._heard_at <= quiet_since or loop.time() >= asked_at + _ANSWER_SECONDS:
                    log.warning(
                        "the %s zygote (pid %d) gave no answer for %.0f s, since it hangs or was stopped: it is killed",
                        self.runtime,
                        self.pid,
                        loop.time() - asked_at,
                    )
                    self.give_up()
                    raise ZygoteLost from None

    def give_up(self) -> None:
        """Kills a zygote that does not do its work any more."""
        if not self.lost:  # the pidfd of a lost one may be closed, and its number be another process' by now
            pidfd.kill(self._pidfd)
            self._lose()

    async def close(self) -> None:
        """Ends the zygote and what it still has, and waits until all of it is gone."""
        self._lose()
        # Not until their callbacks have emptied the set: a wait for what is done lets nobody else run (from 3.12 on).
        while self._farewells:
            ending = set(self._farewells)
            await asyncio.gather(*ending)
            self._farewells -= ending

    def _listen(self) -> None:
        try:
            # One byte more than a message has: of a longer one the rest would be lost without a word.
            data, descriptors, _, _ = socket.recv_fds(self._control, SIZE + 1, 1, socket.MSG_CMSG_CLOEXEC)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        self._heard_at = asyncio.get_running_loop().time()
        try:
            if data:
                self._take(Message.decode(data), descriptors)
            else:
                self._lose()
        except ControlError as error:
            log.warning("the %s zygote (pid %d) broke the protocol: %s", self.runtime, self.pid, error)
            self.give_up()
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _take(self, message: Message, descriptors: list[int]) -> None:
        if message.op is Op.TRIED:
            self._take_answer(message)
        elif (child := self._children.get(message.slot)) is not None:
            child.take_message(message, descriptors)
        elif message.slot not in self._forsaken:
            raise ControlError(f"{message.op.name} of a child that there is not")
        elif message.op in _LAST_WORDS:
            self._forsaken.remove(message.slot)

    def _take_answer(self, message: Message) -> None:
        number = message.slot
        if self._test is None or self._test.done() or number >= self._tests or number in self._answers:
            raise ControlError("TRIED does not come now")
        self._answers[number] = message.numbers[0]
        if len(self._answers) == self._tests:
            self._test.set_result(None)

    def _lose(self) -> None:
        if self.lost:
            return
        self.lost = True
        if self._test is not None and not self._test.done():
            self._test.set_exception(ZygoteLost())
            self._test.exception()  # whoever waited may have given up
        self._idle.set()
        asyncio.get_running_loop().remove_reader(self._control.fileno())
        asyncio.get_running_loop().remove_writer(self._control.fileno())
        self._unsent.clear()
        self._control.close()
        for child in list(self._children.values()):
            self._farewell(child.lose())
        self._farewell(self._bury())
        self.on_lost()

    def _farewell(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._farewells.add(task)
        task.add_done_callback(self._farewells.discard)
        return task

    async def _bury(self) -> None:
        deadline = asyncio.get_running_loop().time() + _FAREWELL_SECONDS
        try:
            # Of a zygote in namespaces this is the launcher: it ends after the zygote, and that after its children.
            while self._process.poll() is None:
                if asyncio.get_running_loop().time() > deadline:
                    pidfd.kill(self._pidfd)
                    self._process.kill()
                await asyncio.sleep(0.005)
        finally:
            os.close(self._pidfd)


def _remove(group: Group, tries: int) -> None:
    if not group.remove() and tries:
        asyncio.get_running_loop().call_later(_GROUP_SECONDS, _remove, group, tries - 1)


def _nothing() -> None:
    return


def _pipes() -> tuple[tuple[int, int], tuple[int, int]]:
    first: tuple[int, ...] = ()
    try:
        first = os.pipe2(os.O_CLOEXEC)
        return first, os.pipe2(os.O_CLOEXEC)
    except OSError as error:
        for descriptor in first:
            os.close(descriptor)
        raise SpawnRefused(f"no pipe could be made for a child: {error.strerror}") from None

"""The server's handle on a zygote that says anything: every request ends, nothing is kept, no stranger is killed."""

from __future__ import annotations

import asyncio
import os
import socket
from types import SimpleNamespace
from typing import cast

from langserver.core.verdict import Exit
from langserver.sandbox.selftest import checks, trials
from langserver.wire.control import SIZE, Message, Op
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote
from langserver.zygote.failures import SpawnRefused, ZygoteError, ZygoteLost
from langserver.zygote.launch import Facts, Launched
from tests.fuzz import processes
from tests.fuzz.source import Source
from tests.fuzz.virtual_loop import run, settle

NUMBERS = (0, 1, -1, 9, 64, 255, 256, 4096, 2**31, 2**63 - 1, -(2**63))
SLOTS = (1, 2, 3, 0, 4, 5, 2**63, 2**64 - 1)
MOST_STEPS = 40
LAYERS = frozenset({"privileges", "rlimits"})
TRIALS = len(trials(LAYERS)) + len(checks("python"))
STEPS = ("ask", "limit", "release", "test", "say", "raw", "close", "wait", "answer the test")
NONE, LIVING, ENDED, SELF, PARENT, NULL, PIPE, SOCKET = range(len(processes.SORTS))


def step(name: str, *choices: int) -> bytes:
    return bytes([STEPS.index(name), *choices])


def say(op: Op, slot: int = 1, sort: int = NONE, *numbers: int) -> bytes:
    places = [NUMBERS.index(number) for number in numbers] + [0] * (4 - len(numbers))
    return step("say", op, SLOTS.index(slot), sort, *places)


def seeds() -> list[bytes]:
    ask, born, died = step("ask"), say(Op.SPAWNED, 1, ENDED), say(Op.EXIT)
    lives = say(Op.SPAWNED, 1, LIVING)
    found = [
        ask + born + died + step("release", 0),
        ask + born + step("limit", 0) + say(Op.LIMITED) + died,
        ask + born + step("limit", 0) + say(Op.LIMITED, 1, NONE, 2**63 - 1),
        ask + born + step("release", 0) + died + died,
        ask + lives + died,
        ask + lives + step("raw", SIZE + 1, NONE) + Message(Op.LIMITED, 1).encode() + b"x",
        ask + born + step("raw", SIZE + 1, NONE) + Message(Op.EXIT, 1).encode() + b"x",
        ask + lives + step("limit", 0) + step("wait"),
        ask + lives + lives,
        ask + lives + step("close"),
        ask + died,
        ask + step("wait"),
        ask + say(Op.NOT_SPAWNED, 1, NONE, 9) + died,
        ask + say(Op.NOT_SPAWNED, 1, NONE, 2**31),
        ask + born + say(Op.EXIT, 1, NONE, -1, 9, 0, 0),
        ask + born + say(Op.EXIT, 1, NONE, 2**31, -1, -1, -1),
        ask + born + say(Op.READY) + say(Op.SPAWN),
        ask + ask + say(Op.SPAWNED, 2, LIVING) + born + died,
        step("test") + step("answer the test", 0, 0),
        step("test") + say(Op.TRIED, 1) + say(Op.TRIED, 1),
        step("test") + say(Op.TRIED, 2**64 - 1),
        say(Op.TRIED, 1),
        step("raw", SIZE - 1, NONE) + bytes(SIZE - 1),
        step("raw", SIZE + 1, NONE) + Message(Op.EXIT, 1).encode() + b"x",
        step("raw", 0, SOCKET),
        step("raw", SIZE, NULL) + b"\xff" * SIZE,
    ]
    found += [ask + say(Op.SPAWNED, 1, sort) + step("wait") for sort in range(len(processes.SORTS))]
    found += [say(op, slot, SOCKET) for op in Op for slot in (1, 2**64 - 1)]
    return found


def check(data: bytes) -> None:
    allowed = {processes.living(), processes.ended(), 0}
    before = len(os.listdir("/proc/self/fd"))
    with processes.counted_kills() as killed:
        run(_Play(Source(data)).play())
    assert killed <= allowed, "whoever it points at is not for a zygote to end"
    assert len(os.listdir("/proc/self/fd")) <= before, "a descriptor is left"


class _Play:
    """This process is the zygote; the requests of the server and its own words come in the order of the bytes."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._requests: list[asyncio.Task[object]] = []
        self._children: list[Child] = []

    async def play(self) -> None:
        ours, self._control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        self._control.setblocking(False)
        stub = SimpleNamespace(pid=os.getpid(), poll=lambda: 0, kill=lambda: None)
        ended = os.pidfd_open(processes.ended())
        launched = Launched(os.getpid(), ended, cast("object", stub), ours, Facts("3", 0, 0))  # type: ignore[arg-type]
        self._zygote = Zygote("python", launched, None)
        for _ in range(MOST_STEPS):
            if self._source.empty:
                break
            await self._step(self._source.choice(STEPS))
            await settle()
            for child in self._children:
                if child.exit.done():
                    self._judge(child, child.exit.result())
        for request in self._requests:
            await asyncio.wait([request])  # it ends, if only since its time is up
            error = request.exception()
            assert error is None or isinstance(error, (ZygoteLost, SpawnRefused, ZygoteError)), repr(error)
        assert len(self._zygote._answers) <= TRIALS
        assert len(self._zygote._forsaken) <= MOST_STEPS
        for child in self._children:
            self._zygote.release(child)
        assert self._zygote.children == 0
        await self._zygote.close()
        self._control.close()
        loop = asyncio.get_running_loop()
        assert loop.time() < (MOST_STEPS + 2) * 20

    @staticmethod
    def _judge(child: Child, told: Exit | None) -> None:
        if told is not None:
            assert child.pid != processes.living(), "the end of one who lives was believed"
            assert (told.code is None) != (told.signal is None)
            assert told.code is None or -1 <= told.code <= 255
            assert told.signal is None or 1 <= told.signal <= 64
            assert told.cpu_seconds >= 0
            assert told.max_rss_bytes >= 0

    async def _step(self, name: str) -> None:
        zygote, source = self._zygote, self._source
        match name:
            case "ask":
                self._requests.append(asyncio.create_task(self._ask()))
            case "limit" if self._children and not zygote.lost:
                child = self._children[source.byte() % len(self._children)]
                if child._limited is None:
                    self._requests.append(asyncio.create_task(child.limit(1, 1, True)))
            case "release" if self._children:
                zygote.release(self._children.pop(source.byte() % len(self._children)))
            case "test" if zygote._test is None:
                self._requests.append(asyncio.create_task(zygote.try_walls(LAYERS)))
            case "say":
                op, slot, sort = source.byte(), source.choice(SLOTS), source.choice(processes.SORTS)
                numbers = [source.choice(NUMBERS) for _ in range(4)]
                data = bytes([op]) + Message(Op.EXIT, slot, tuple(numbers)).encode()[1:]
                processes.send(self._control, data, [sort])
            case "raw":
                size, sort = source.byte(), source.choice(processes.SORTS)
                data = source.take(size)
                processes.send(self._control, data, [sort, sort])
                await settle()
                assert len(data) == SIZE or zygote.lost, "a message of another size was taken"
            case "answer the test":
                for number in range(TRIALS + source.byte() % 2):
                    processes.send(self._control, Message(Op.TRIED, number, (source.byte(),)).encode(), [])
            case "close":
                self._control.close()
            case "wait":
                await asyncio.sleep(6)

    async def _ask(self) -> None:
        self._children.append(await self._zygote.spawn(1, 1))

"""The first words of a zygote: READY and a descriptor of the process that was started, or it is none."""

from __future__ import annotations

import os
import socket

from langserver.wire.control import SIZE, ControlError, Message, Op
from langserver.zygote import launch
from tests.fuzz import processes
from tests.fuzz.source import Source
from tests.fuzz.virtual_loop import run


def seeds() -> list[bytes]:
    ready = Message(Op.READY, 0, (3, 11, 7, 0, 1 << 20, 1 << 20)).encode()
    words = [ready, ready[:-1], ready + b"x", b"", Message(Op.SPAWNED).encode(), b"\xff" * SIZE]
    return [bytes([sort, sort]) + word for word in words for sort in range(len(processes.SORTS))]


def check(data: bytes) -> None:
    source = Source(data)
    sorts = [source.choice(processes.SORTS), source.choice(processes.SORTS)]
    started = processes.living()
    before = len(os.listdir("/proc/self/fd"))
    run(_first_words(started, source.rest()[:1000], sorts))
    assert len(os.listdir("/proc/self/fd")) <= before, "a descriptor is left"


async def _first_words(started: int, data: bytes, sorts: list[str | None]) -> None:
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with control, theirs:
        control.setblocking(False)
        processes.send(theirs, data, sorts)
        try:
            message, pid, descriptor = await launch._ready(control, started)
        except (ControlError, launch._NotReady):
            return
        os.close(descriptor)
    assert message.encode()[0] == data[0] == Op.READY
    assert pid in (started, processes.ended())
    first = next(sort for sort in sorts if sort)
    assert first in ("living", "ended")

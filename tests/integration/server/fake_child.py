"""A child whose every move a test decides: the far ends of its pipes are the test's, and so is its end."""

from __future__ import annotations

import asyncio
import os
import select
from types import SimpleNamespace

from langserver.core.claims import Report
from langserver.core.verdict import Exit
from langserver.wire.frames import Kind, encode
from langserver.wire.report import encode_report
from langserver.zygote.child_handle import Child
from langserver.zygote.launch import Facts
from langserver.zygote.watch import Watch

FACTS = Facts("0", 0, 0)
KILLED = Exit(code=None, signal=9, cpu_seconds=0.0, max_rss_bytes=0)
DONE = Exit(code=0, signal=None, cpu_seconds=0.0, max_rss_bytes=0)


class FakeChild(Child):
    """Counts its kills; ends when `end` is called and not before."""

    def __init__(self):
        input_read, input_write = os.pipe2(os.O_CLOEXEC)
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(input_write, False)
        os.set_blocking(report_read, False)
        super().__init__(
            SimpleNamespace(facts=FACTS, watch=Watch(0), give_up=lambda: None), 1, input_write, report_read
        )
        self.far_input, self.far_report = input_read, report_write
        self.kills = 0
        self.killed = asyncio.Event()
        self.limiting = asyncio.Event()
        self.limited = asyncio.Event()

    def kill(self):
        self.kills += 1
        self.killed.set()

    async def limit(self, memory_bytes, cpu_seconds, makes_way):
        self.limiting.set()
        await self.limited.wait()

    def was_sent(self):
        """What there is for it to read now."""
        readable, _, _ = select.select([self.far_input], [], [], 0)
        return os.read(self.far_input, 1 << 16) if readable else b""

    def say(self, *frames):
        os.write(self.far_report, b"".join(frames))

    def seal_and_start(self):
        self.say(encode(Kind.SEALED), encode(Kind.STARTED))

    def report(self, output=b"1"):
        self.say(encode(Kind.REPORT, encode_report(Report(output))))

    def end(self, exit_):
        self.let_go()
        self.exit.set_result(exit_)

    def let_go(self):
        for descriptor in (self.far_input, self.far_report):
            os.close(descriptor)


class FakeSupply:
    """Gives the one child it has once it is allowed to."""

    def __init__(self):
        self.child = FakeChild()
        self.asked = asyncio.Event()
        self.allowed = asyncio.Event()
        self.given_back = 0

    async def take(self, makes_way=False):
        self.asked.set()
        await self.allowed.wait()
        return self.child

    def done(self, child):
        assert child is self.child
        child.close()
        self.given_back += 1

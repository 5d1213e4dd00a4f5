"""The host's end of the log ring trusts no number in it."""

from __future__ import annotations

import os
import random

import pytest

from langserver.js_runtime.logs import LIBRARY_LEVEL, REFUSAL_LEVEL, LogRing
from langserver.wire.channel import Channel
from langserver.wire.frames import Frame, FrameDecoder, Kind
from langserver.wire.report import decode_event, decode_log

UNITS = 64


class Ring:
    """A small ring, written as the prelude writes."""

    def __init__(self, written: int = 0) -> None:
        self.memory = memoryview(bytearray(16 + 2 * UNITS))
        self.head, self.units, self.written = self.memory[:16].cast("i"), self.memory[16:].cast("H"), written
        self.host = LogRing(self.memory, lambda name: f"<{name}>".encode(), ["path"])

    def put(self, *units: int) -> None:
        for unit in units:
            self.units[self.written % UNITS] = unit
            self.written = (self.written + 1) % 2**32
        self.publish(self.written)

    def publish(self, number: int) -> None:
        self.head[0] = number - 2**32 if number >= 2**31 else number

    def drain(self) -> list[tuple[str, str]]:
        return [line for line in self.drain_all() if line[0] != "refused"]

    def drain_all(self) -> list[tuple[str, str]]:
        """Lines, and refusals under the name of their action."""
        read_end, write_end = os.pipe()
        channel = Channel(write_end)
        channel.set_log_budget(1 << 20)
        self.host.drain(channel)
        os.close(write_end)
        with open(read_end, "rb") as pipe:
            frames = FrameDecoder({Kind.LOG: 1 << 20, Kind.EVENT: 1 << 20}).feed(pipe.read())
        return [_said(frame) for frame in frames]


def _said(frame: Frame) -> tuple[str, str]:
    if frame.kind is Kind.EVENT:
        event = decode_event(frame.payload)
        return event.action, event.detail
    line = decode_log(frame.payload)
    return line.stream, line.text


def units_of(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]


def test_records_across_the_end_of_the_ring():
    ring = Ring()
    for number in range(40):
        text = f"line {number} 😀"
        units = units_of(text)
        ring.put(number % 5, len(units), *units)
        assert ring.drain() == [(("log", "info", "warn", "error", "debug")[number % 5], text)]
        assert ring.head[1] == ring.written


def test_nothing_new_is_nothing():
    ring = Ring()
    assert ring.drain() == []
    ring.put(0, 0)
    assert ring.drain() == [("log", "")]
    assert ring.drain() == []


def test_a_refusal_is_told_once_and_is_no_line():
    ring = Ring()
    for text in ('"fs"', '"os"', '"fs"'):
        ring.put(REFUSAL_LEVEL, len(text), *units_of(text))
    assert [(kind, detail.partition(" is ")[0]) for kind, detail in ring.drain_all()] == [
        ("refused", 'require("fs")'),
        ("refused", 'require("os")'),
    ]


def test_a_library_is_put_into_the_ring_once_it_is_read():
    ring = Ring()
    ring.put(0, UNITS - 8, *units_of("y" * (UNITS - 8)))
    ring.drain()
    ring.put(0, 1, *units_of("x"), LIBRARY_LEVEL, 3, *units_of("url"))  # around the end
    assert ring.drain_all() == [("log", "x")]
    assert ring.head[2] == len(b"<url>")
    assert bytes(ring.memory[16:21]) == b"<url>"
    assert ring.head[1] == ring.written


def test_a_library_never_goes_over_the_end_of_the_ring():
    ring = Ring()
    ring.put(LIBRARY_LEVEL, UNITS - 2, *units_of("\u20ac" * (UNITS - 2)))
    assert ring.drain_all() == []
    assert ring.head[2] == 2 * UNITS


@pytest.mark.parametrize("seed", range(20))
def test_garbage_ends(seed):
    random_numbers = random.Random(seed)
    ring = Ring()
    for at in range(UNITS):
        ring.units[at] = random_numbers.randrange(2**16)
    for _ in range(10):
        ring.publish(random_numbers.randrange(2**32))
        lines = ring.drain()
        assert sum(len(text) for _, text in lines) <= UNITS
        assert {stream for stream, _ in lines} <= {"log", "info", "warn", "error", "debug"}

"""What an honest child writes is exactly what the server accepts, at the edges of every budget."""

from __future__ import annotations

import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langserver.core.claims import LogClaim, Report
from langserver.wire.channel import LOG_LINE_COST, MAX_EVENTS, Channel, TaskPipe
from langserver.wire.conversation import Conversation
from langserver.wire.frames import FrameError, Kind, encode
from langserver.wire.report import LOG_LINE_BYTES


class Pipe:
    """A channel whose other end is read whole."""

    def __init__(self) -> None:
        self._read, self.write = os.pipe()
        self.data = b""
        self._thread = threading.Thread(target=self._drain)
        self._thread.start()

    def _drain(self) -> None:
        while chunk := os.read(self._read, 1 << 16):
            self.data += chunk

    def end(self) -> bytes:
        os.close(self.write)
        self._thread.join(30)
        os.close(self._read)
        return self.data


def said(log_bytes: int, lines: list[str]) -> tuple[Conversation, list[LogClaim]]:
    pipe = Pipe()
    channel = Channel(pipe.write)
    channel.sealed()
    channel.started()
    channel.set_log_budget(log_bytes)
    for line in lines:
        channel.log("stdout", line)
    channel.report(Report(output=b"1"))
    heard = Conversation(100, log_bytes)
    return heard, heard.hear(pipe.end())


@given(st.lists(st.text(max_size=40), max_size=12), st.integers(0, 400))
def test_any_lines_under_any_budget_are_accepted_by_the_server(lines: list[str], budget: int) -> None:
    heard, logs = said(budget, lines)
    assert heard.report == Report(output=b"1")
    assert sum(len(claim.text.encode()) + LOG_LINE_COST for claim in logs) <= budget
    assert heard.logs_truncated == (len(logs) < len(lines))


def test_a_long_line_is_split_between_characters() -> None:
    line = "\u20ac" * LOG_LINE_BYTES
    heard, logs = said(1 << 20, [line])
    assert "".join(claim.text for claim in logs) == line
    assert all(len(claim.text.encode()) <= LOG_LINE_BYTES for claim in logs)
    assert not heard.logs_truncated


def test_a_lone_surrogate_in_a_log_line_becomes_a_replacement_character() -> None:
    assert said(1000, ["a\udc80b"])[1] == [LogClaim("stdout", "a\ufffdb")]


def test_a_million_events_are_told_up_to_the_cap() -> None:
    pipe = Pipe()
    channel = Channel(pipe.write)
    channel.sealed()
    for _ in range(1000):
        channel.event("audit", "denied", "open")
    heard = Conversation(100, 100)
    heard.hear(pipe.end())
    assert len(heard.events) == MAX_EVENTS


def test_the_task_pipe_waits_for_one_kind() -> None:
    read, write = os.pipe()
    os.write(write, encode(Kind.SOURCE, b"x" * 10) + encode(Kind.GO) + encode(Kind.SOURCE, b"abc")[:-1])
    os.close(write)
    pipe = TaskPipe(read)
    assert pipe.read(Kind.SOURCE) == b"x" * 10
    with pytest.raises(FrameError, match="expected INPUT"):
        pipe.read(Kind.INPUT)
    assert pipe.read(Kind.GO) == b""
    with pytest.raises(EOFError):
        pipe.read(Kind.SOURCE)
    pipe.close()

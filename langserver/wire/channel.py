"""The child's side of its pipes: what it reads of its task, and what it says of it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from langserver.core.claims import LogClaim, Report, SecurityClaim
from langserver.wire.fields import cut, utf8
from langserver.wire.frames import HEAD, Frame, FrameError, Kind, encode
from langserver.wire.report import (
    BAD_INPUT_BYTES,
    COMPILE_NS,
    LINE,
    LINE_OFFSET,
    LOG_LINE_BYTES,
    encode_event,
    encode_log,
    encode_report,
)

LOG_LINE_COST = 24  # bytes that a line costs of the log budget beside its text
MAX_EVENTS = 64  # security events that one response holds
_READ_BYTES = 1 << 16  # what a pipe holds (pipe(7))
FORM_BYTES = 2 << 20  # a compiled form is a little larger than its source; LANG_CODE_BYTES is 1 MiB


class TaskPipe:
    """The read end of the hand-over."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._held = bytearray()  # what was read of the frames to come

    def read(self, expected: Kind) -> bytes:
        """Waits for the payload of the next frame. Raises FrameError if it is another kind, EOFError if none comes."""
        self._hold(HEAD.size)
        kind, length = HEAD.unpack_from(self._held)
        if kind != expected:
            raise FrameError(f"expected {expected.name}, got {kind}")
        end = HEAD.size + length
        self._hold(end)
        payload = bytes(memoryview(self._held)[HEAD.size : end])
        del self._held[:end]
        return payload

    def close(self) -> None:
        """Gives the descriptor up; user code never holds it."""
        os.close(self._fd)

    def _hold(self, size: int) -> None:
        while len(self._held) < size:
            chunk = os.read(self._fd, _READ_BYTES)
            if not chunk:
                raise EOFError
            self._held += chunk


class Channel:
    """The write end: frames of one child, written at once and whole."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._log_left = 0
        self._log_cut = False
        self._events_left = MAX_EVENTS
        self.writing = False  # a frame is begun and not ended: what interrupts it must not write

    def set_log_budget(self, log_bytes: int) -> None:
        """How many bytes of log may be sent: a line costs its text and LOG_LINE_COST."""
        self._log_left = log_bytes

    def sealed(self) -> None:
        """The jail is complete; from here on exit codes mean nothing."""
        self.send(Frame(Kind.SEALED, b""))

    def compiled(self, form: bytes) -> None:
        """The program's compiled form, when the header asks for it; one over FORM_BYTES is told as none, empty."""
        self.send(Frame(Kind.COMPILED, form if len(form) <= FORM_BYTES else b""))

    def started(self) -> None:
        """Input is parsed and its pipe closed; user code runs next."""
        self.send(Frame(Kind.STARTED, b""))

    def bad_input(self, reason: str) -> None:
        """The input is not what a request must hold; ends the hand-over."""
        self.send(Frame(Kind.BAD_INPUT, cut(utf8(reason), BAD_INPUT_BYTES)))

    def log(self, stream: str, line: str) -> None:
        """One log line without its newline; a long one is split, one over the budget is dropped and said so, once."""
        for piece in _pieces(utf8(line)):
            if self._log_cut:
                return
            if len(piece) + LOG_LINE_COST > self._log_left:
                self._log_cut = True
                self.send(Frame(Kind.LOGS_TRUNCATED, b""))
                return
            self._log_left -= len(piece) + LOG_LINE_COST
            self.send(Frame(Kind.LOG, encode_log(LogClaim(stream, piece.decode()))))

    def event(self, layer: str, action: str, detail: str) -> None:
        """A refusal of a layer that this child saw; only the first MAX_EVENTS are told."""
        if self._events_left == 0:
            return
        self._events_left -= 1
        self.send(Frame(Kind.EVENT, encode_event(SecurityClaim(layer, action, detail))))

    @staticmethod
    def prepare(report: Report) -> bytearray:
        """A report as bytes for `send_prepared`: what a handler of MemoryError sends must exist before it is needed."""
        return bytearray(encode(Kind.REPORT, encode_report(report)))

    @staticmethod
    def place_time(prepared: bytearray, compile_ns: int) -> None:
        """Puts the time that compiling took into a prepared report."""
        COMPILE_NS.pack_into(prepared, HEAD.size, compile_ns)

    @staticmethod
    def place(prepared: bytearray, line: int) -> None:
        """Puts the line of the one failure into a prepared report that has no output."""
        LINE.pack_into(prepared, HEAD.size + LINE_OFFSET, line)

    def send_prepared(self, data: bytes | bytearray) -> None:
        """Writes a prepared frame; allocates nothing when one write takes it all."""
        self.writing = True
        written = os.write(self._fd, data)
        while written < len(data):
            written += os.write(self._fd, data[written:])
        self.writing = False

    def report(self, report: Report) -> None:
        """The one report; the child exits after it."""
        self.send_prepared(self.prepare(report))

    def send(self, frame: Frame) -> None:
        """Writes one frame."""
        self.send_prepared(encode(frame.kind, frame.payload))


def _pieces(text: bytes) -> Iterator[bytes]:
    """UTF-8 text in pieces of at most LOG_LINE_BYTES, cut between characters; an empty text is one piece."""
    start = 0
    while len(text) - start > LOG_LINE_BYTES:
        end = start + LOG_LINE_BYTES
        while text[end] & 0xC0 == 0x80:  # a continuation byte (RFC 3629): the character began before
            end -= 1
        yield text[start:end]
        start = end
    yield text[start:]

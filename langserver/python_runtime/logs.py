"""What a program prints, as log lines: each is sent when it is complete, a last one without a newline at the end."""

from __future__ import annotations

import io
from typing import Final

from langserver.wire.channel import Channel

# An unfinished line is sent in pieces of this many characters, so that printing without newlines holds no memory.
_PIECE = 8 << 10


class LineLog(io.TextIOBase):
    """A text stream of the log. Before `connect` it swallows what is written."""

    def __init__(self, stream: str) -> None:
        super().__init__()
        self._stream = stream
        self._channel: Channel | None = None
        self._most = 0
        self._rest = ""

    def writable(self) -> bool:
        """It is there to be written to."""
        return True

    def write(self, text: str) -> int:
        """Takes text of any length; returns its number of characters."""
        if not issubclass(type(text), str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        text = str.__str__(text)  # of a subclass what it holds: its methods are the program's
        if self._channel is None:
            return len(text)
        written = len(text)
        if written > self._most:
            text = text[: self._most]
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._channel.log(self._stream, line)
        while len(self._rest) > _PIECE:
            self._channel.log(self._stream, self._rest[:_PIECE])
            self._rest = self._rest[_PIECE:]
        return written


# No methods: the library hands these streams to methods of a program (`dump` of ElementTree to `write` of a tree).
def connect(log: LineLog, channel: Channel, log_bytes: int) -> None:
    """Sends from now on to `channel`. A line over `log_bytes` characters is cut: the channel drops it anyway."""
    log._channel = channel
    log._most = log_bytes + 1


def finish(log: LineLog) -> None:
    """Sends the unfinished line; nothing can be written after it."""
    if log._channel is not None and log._rest:
        log._channel.log(log._stream, log._rest)
    log._rest, log._channel = "", None


STDOUT: Final = LineLog("stdout")
STDERR: Final = LineLog("stderr")

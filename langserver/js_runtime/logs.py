"""The host's end of the log ring (prelude/ring.js says what is in it)."""

from __future__ import annotations

from collections.abc import Callable, Collection

from langserver.js_runtime.absent import module_refusal
from langserver.wire.channel import Channel

REFUSAL_LEVEL = 5
LIBRARY_LEVEL = 6
STREAMS = ("log", "info", "warn", "error", "debug")
_HEAD_BYTES = 16
_UNIT_BYTES = 2


class LogRing:
    """Copies log lines out of memory that a program's engine writes: every number in it is clamped, none is trusted."""

    def __init__(self, memory: memoryview, texts: Callable[[str], bytes], modules: Collection[str]) -> None:
        """`texts` gives the texts of a library that a program waits for, for the prelude, and
        `modules` are those that a refusal names.
        """
        self._head = memory[:_HEAD_BYTES].cast("i")
        self._units = memory[_HEAD_BYTES:].cast("H")
        self._bytes = memory[_HEAD_BYTES:]
        self._size = len(self._units)
        self._read = 0
        self._library_texts = texts
        self._modules = modules
        self.refusals: set[str] = set()  # the details of the refusals that were sent

    def drain(self, channel: Channel) -> None:
        """Sends all lines and refusals that are there. Never waits for the program."""
        waiting = min((self._head[0] - self._read) & 0xFFFFFFFF, self._size)
        while waiting >= 2:
            level = self._units[self._read % self._size]
            length = min(self._units[(self._read + 1) % self._size], waiting - 2)
            text = self._text(self._read + 2, length)
            if level == REFUSAL_LEVEL:
                self._refuse(module_refusal(text, self._modules), channel)
            elif level != LIBRARY_LEVEL:
                channel.log(STREAMS[min(level, len(STREAMS) - 1)], text)
            self._read = (self._read + 2 + length) & 0xFFFFFFFF
            waiting -= 2 + length
            # Back as a signed number: the program's side reads it as int32.
            self._head[1] = self._read - (1 << 32) if self._read >> 31 else self._read
            if level == LIBRARY_LEVEL:
                self._answer(text)

    def _answer(self, library: str) -> None:
        # The program stands still until the last word is set, so nothing else is in the ring.
        data = self._library_texts(library)[: len(self._bytes)]
        self._bytes[: len(data)] = data
        self._head[2] = len(data)

    def _refuse(self, detail: str, channel: Channel) -> None:
        if detail not in self.refusals:
            self.refusals.add(detail)
            channel.event("policy", "refused", detail)

    def _text(self, start: int, length: int) -> str:
        start %= self._size
        first = min(length, self._size - start)
        data = bytes(self._bytes[start * _UNIT_BYTES : (start + first) * _UNIT_BYTES])
        data += bytes(self._bytes[: (length - first) * _UNIT_BYTES])
        return data.decode("utf-16-le", "replace")

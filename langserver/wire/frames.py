"""The frames of a child's two pipes: one byte of kind, four of length, then the payload.

Both directions share the format; the receiver names the kinds it accepts and the most bytes of each, so that a
length is judged before anything is allocated for it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

HEAD = struct.Struct("!BI")


class Kind(IntEnum):
    """Every frame there is. The first group goes to the child, the second comes from it."""

    HEADER = 1
    SOURCE = 2
    INPUT = 3
    GO = 4
    FORM = 5

    SEALED = 16
    STARTED = 17
    BAD_INPUT = 18
    LOG = 19
    LOGS_TRUNCATED = 20
    EVENT = 21
    REPORT = 22
    COMPILED = 23


class FrameError(Exception):
    """The peer sent something that is no frame the receiver accepts; the text says what."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame, its payload still undecoded."""

    kind: Kind
    payload: bytes


def encode(kind: Kind, payload: bytes = b"") -> bytes:
    """The bytes of one frame."""
    return HEAD.pack(kind, len(payload)) + payload


class FrameDecoder:
    """Cuts a byte stream into frames. `caps` holds each accepted kind and its largest payload in bytes."""

    def __init__(self, caps: Mapping[Kind, int]) -> None:
        self._caps = caps
        self._buffer = bytearray()
        self._start = 0

    @property
    def pending(self) -> int:
        """Bytes that are in no frame given out yet."""
        return len(self._buffer) - self._start

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that `data` completes, in order, each judged when it is asked for, after those before it.

        Raises FrameError when it comes to what is none; the stream is of no use after that.
        """
        self._buffer += data
        return self._frames()

    def _frames(self) -> Iterator[Frame]:
        while self.pending >= HEAD.size:
            number, length = HEAD.unpack_from(self._buffer, self._start)
            kind = self._accept(number, length)
            begin = self._start + HEAD.size
            if begin + length > len(self._buffer):
                break
            self._start = begin + length
            yield Frame(kind, bytes(self._buffer[begin : self._start]))
        del self._buffer[: self._start]
        self._start = 0

    def _accept(self, number: int, length: int) -> Kind:
        try:
            kind = Kind(number)
            cap = self._caps[kind]
        except (ValueError, KeyError):
            raise FrameError(f"a frame of kind {number} is not accepted here") from None
        if length > cap:
            raise FrameError(f"a {kind.name} frame of {length} bytes is over its cap of {cap}")
        return kind

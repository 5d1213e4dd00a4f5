"""The frames of a child's two pipes: one byte of kind, four of length, then the payload.

Both directions share the format; the receiver names the kinds it accepts and the most bytes of each, so that a
length is judged before anything is allocated for it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

HEAD = struct.Struct("!BI")


class Kind(IntEnum):
    """Every frame there is. The first group goes to the child, the second comes from it."""

    HEADER = 1
    SOURCE = 2
    INPUT = 3
    GO = 4

    SEALED = 16
    STARTED = 17
    BAD_INPUT = 18
    LOG = 19
    LOGS_TRUNCATED = 20
    EVENT = 21
    REPORT = 22


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

    @property
    def pending(self) -> int:
        """Bytes that make no whole frame yet."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that `data` completes, in order. Raises FrameError; the stream is of no use after that."""
        self._buffer += data
        frames: list[Frame] = []
        start = 0
        while len(self._buffer) - start >= HEAD.size:
            number, length = HEAD.unpack_from(self._buffer, start)
            kind = self._accept(number, length)
            end = start + HEAD.size + length
            if end > len(self._buffer):
                break
            frames.append(Frame(kind, bytes(self._buffer[start + HEAD.size : end])))
            start = end
        del self._buffer[:start]
        return frames

    def _accept(self, number: int, length: int) -> Kind:
        try:
            kind = Kind(number)
            cap = self._caps[kind]
        except (ValueError, KeyError):
            raise FrameError(f"a frame of kind {number} is not accepted here") from None
        if length > cap:
            raise FrameError(f"a {kind.name} frame of {length} bytes is over its cap of {cap}")
        return kind

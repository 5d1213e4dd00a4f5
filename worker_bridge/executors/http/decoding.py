"""Undoing a response's content coding: one layer, in steps whose size is bounded, up to a cap."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final, Protocol

from worker_bridge.executors.http.failure import Failure, Kind, excerpt

_STEP_BYTES: Final = 64 << 10
_GZIP: Final = 16 + zlib.MAX_WBITS
_ZLIB: Final = zlib.MAX_WBITS
_RAW_DEFLATE: Final = -zlib.MAX_WBITS


class Decoder(Protocol):
    """Takes a body in pieces."""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What `data` decodes to, none of them over 64 KiB. Raises Failure."""

    def end(self) -> None:
        """Nothing more comes. Raises Failure when something is missing."""


def decoder(codings: list[bytes]) -> Decoder:
    """By the values of Content-Encoding. Raises Failure: two layers can make gigabytes of a few bytes."""
    names = [name.strip().lower() for value in codings for name in value.split(b",") if name.strip()]
    match names:
        case [] | [b"identity"]:
            return _Plain()
        case [b"gzip" | b"x-gzip"]:
            return _Inflater(_GZIP)
        case [b"deflate"]:
            return _Inflater(None)
    said = excerpt(b", ".join(codings), 100)
    raise Failure(Kind.BAD_RESPONSE, f"the response is coded as {said}: expected gzip or deflate, once")


class _Plain:
    def pieces(self, data: bytes) -> Iterator[bytes]:
        for at in range(0, len(data), _STEP_BYTES):
            yield data[at : at + _STEP_BYTES]

    def end(self) -> None:
        """Its length is the message's."""


class _Inflater:
    """`window` None: deflate as the standard has it, or as some servers have it, without a head."""

    def __init__(self, window: int | None) -> None:
        self._window = window
        self._stream = None if window is None else zlib.decompressobj(window)
        self._begun = False

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while data:
            stream = self._member(data)
            self._begun = True
            try:
                piece = stream.decompress(data, _STEP_BYTES)
            except zlib.error as error:
                raise Failure(Kind.BAD_RESPONSE, f"the response's coding is broken: {error}") from None
            data = stream.unconsumed_tail or stream.unused_data
            if piece:
                yield piece

    def _member(self, data: bytes) -> zlib._Decompress:
        """The stream that `data` goes on with: gzip may be several members in a row."""
        if self._stream is None:
            self._window = _ZLIB if data[0] & 0x0F == 8 else _RAW_DEFLATE
            self._stream = zlib.decompressobj(self._window)
        elif self._stream.eof:
            if self._window != _GZIP:
                raise Failure(Kind.BAD_RESPONSE, "something comes after the response's coded body")
            self._stream = zlib.decompressobj(_GZIP)
        return self._stream

    def end(self) -> None:
        if self._begun and not (self._stream and self._stream.eof):
            raise Failure(Kind.BAD_RESPONSE, "the response's coded body ends too early")

"""The frame decoder: it gives what a plain reading gives, however a stream is cut, and keeps no more than a frame."""

from __future__ import annotations

from langserver.wire.frames import HEAD, FrameDecoder, FrameError, Kind, encode
from tests.fuzz import oracle
from tests.fuzz.source import Source, pieces

CAPS = {Kind.SEALED: 0, Kind.EVENT: 3, Kind.LOG: 40, Kind.REPORT: 300}


def seeds() -> list[bytes]:
    streams = [
        encode(Kind.SEALED) + encode(Kind.LOG, b"x" * 40) + encode(Kind.REPORT, bytes(300)),
        encode(Kind.EVENT, b"abc") + encode(Kind.LOG, b"")[:-1],
        encode(Kind.LOG, b"x" * 41),
        HEAD.pack(Kind.REPORT, 2**32 - 1),
        encode(Kind.HEADER),
        encode(Kind.SEALED, b"x"),
        encode(Kind.SEALED) + b"\xff" * 5,
    ]
    return [cuts + stream for stream in streams for cuts in (b"\0\0", b"\1\1", b"\5\7")]


def check(data: bytes) -> None:
    source = Source(data)
    cuts, stream = source.take(2), source.rest()
    wanted, left, more = oracle.frames(stream, CAPS)
    for way in (pieces(stream, cuts), [stream]):
        decoder, got, broken = FrameDecoder(CAPS), [], False
        for piece in way:
            try:
                got.extend((int(frame.kind), frame.payload) for frame in decoder.feed(piece))
            except FrameError:
                broken = True
                break
            assert decoder.pending < HEAD.size + max(CAPS.values())
        assert got == wanted
        assert broken == (not more)
        assert broken or decoder.pending == len(left)

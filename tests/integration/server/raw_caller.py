"""A caller who speaks HTTP/2 by hand, and so can do what no gRPC library does (RFC 9113; header fields as RFC 7541)."""

from __future__ import annotations

import socket
import ssl
import struct
import time
from collections import Counter
from typing import Self

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1
INITIAL_WINDOW_SIZE = 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
REQUEST = {
    b":method": b"POST",
    b":scheme": b"http",
    b":path": b"/grpc.health.v1.Health/Check",
    b":authority": b"x",
    b"te": b"trailers",
    b"content-type": b"application/grpc",
}


def field(name: bytes, value: bytes) -> bytes:
    """A literal header field, not indexed."""
    return b"\0" + number(len(name)) + name + number(len(value)) + value


def number(value: int) -> bytes:
    """An integer with a prefix of seven bits."""
    if value < 127:
        return bytes([value])
    encoded, value = bytearray([127]), value - 127
    while value >= 128:
        encoded.append(value % 128 | 128)
        value //= 128
    return bytes(encoded) + bytes([value])


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack("!I", len(payload))[1:] + bytes([kind, flags]) + struct.pack("!I", stream) + payload


def message(data: bytes, announced: int | None = None) -> bytes:
    """A gRPC message; one that announces more than it has is unfinished."""
    return b"\0" + struct.pack("!I", len(data) if announced is None else announced) + data


class RawCaller:
    """One connection. `window` is what the server may send on each stream before it is read: 0 reads nothing."""

    def __init__(self, address: str, window: int = 65535, tls: ssl.SSLContext | None = None) -> None:
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)))
        if tls is not None:
            self._socket = tls.wrap_socket(self._socket, server_hostname=host)
        self._socket.settimeout(30)
        self._received = b""
        self._next = 1
        self._pongs = 0
        self.ended: dict[int, int] = {}  # stream to the kind of the frame that ended it
        self.received_of: Counter[int] = Counter()  # bytes of messages, by stream
        self.send(PREFACE + frame(SETTINGS, 0, 0, struct.pack("!HI", INITIAL_WINDOW_SIZE, window)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def call(self, body: bytes | None = None, extra: tuple[tuple[bytes, bytes], ...] = (), **fields: bytes) -> int:
        """Opens a stream; a body is sent with it, which None leaves open. `path=` stands for `:path`, and so on."""
        changed = REQUEST | {self._named(name): value for name, value in fields.items()}
        block = b"".join(field(*pair) for pair in (*changed.items(), *extra))
        stream, self._next = self._next, self._next + 2
        self.send(frame(HEADERS, END_HEADERS, stream, block))
        if body is not None:
            self.send(frame(DATA, END_STREAM, stream, body))
        return stream

    def let_through(self, stream: int, size: int) -> None:
        """The server may send so many bytes more on a stream, and on the connection."""
        for one in (0, stream):
            self.send(frame(WINDOW_UPDATE, 0, one, struct.pack("!I", size)))

    def wait_for_end_of(self, streams: set[int]) -> None:
        """Answers the server's pings and settings until all of them have ended. Raises ConnectionError."""
        end = time.monotonic() + 30
        while not streams <= self.ended.keys():
            assert time.monotonic() < end, streams - self.ended.keys()
            self._read()

    def wait_until_taken(self) -> None:
        """Returns when the server has read what was sent."""
        self.send(frame(PING, 0, 0, b"answered"))
        before = self._pongs
        while self._pongs == before:
            self._read()

    @staticmethod
    def _named(name: str) -> bytes:
        pseudo = f":{name}".encode()
        return pseudo if pseudo in REQUEST else name.replace("_", "-").encode()

    def _read(self) -> None:
        data = self._socket.recv(1 << 16)
        if not data:
            raise ConnectionError
        self._received += data
        while len(self._received) >= 9 and len(self._received) >= (size := 9 + int.from_bytes(self._received[:3])):
            kind, flags, stream = self._received[3], self._received[4], int.from_bytes(self._received[5:9])
            payload, self._received = self._received[9:size], self._received[size:]
            if kind == PING and flags & ACK:
                self._pongs += 1
            elif kind == PING:
                self.send(frame(PING, ACK, 0, payload))
            elif kind == SETTINGS and not flags & ACK:
                self.send(frame(SETTINGS, ACK, 0))
            self.received_of[stream] += len(payload) if kind == DATA else 0
            if kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM):
                self.ended.setdefault(stream, kind)

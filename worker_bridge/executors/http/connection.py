"""One connection to one origin: a request goes out, a response comes in, and it is known whether another may follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import h11

from worker_bridge.executors.egress.policy import HostClass
from worker_bridge.executors.egress.url import Origin, Target
from worker_bridge.executors.http.failure import Failure, Kind, excerpt
from worker_bridge.executors.http.headers import Headers
from worker_bridge.executors.http.wire import Wire

MAX_HEADER_BYTES: Final = 64 << 10

_SHOWN_BYTES: Final = 200


class Unanswered(Exception):
    """It ended before a byte of the response came."""


@dataclass(frozen=True, slots=True)
class Head:
    """What comes before a response's body. Names of headers are in lower case."""

    status: int
    reason: bytes
    headers: tuple[tuple[bytes, bytes], ...] = field(repr=False)

    def values(self, name: bytes) -> list[bytes]:
        """All values of a header."""
        return [value for found, value in self.headers if found == name]


class Connection:
    """HTTP/1.1, one request at a time."""

    def __init__(self, origin: Origin, host: HostClass, wire: Wire) -> None:
        self.origin = origin
        self.host = host
        self.used = False
        self._wire = wire
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEADER_BYTES)
        self._received = 0

    async def send(self, method: str, target: Target, headers: Headers, body: bytes | None) -> Head:
        """Sends a request whole; what its answer begins with. Raises Failure, and Unanswered."""
        self._received = 0
        request = h11.Request(method=method, target=target.path, headers=[("host", target.authority), *headers.items()])
        parts = [self._http.send(request), self._http.send(h11.Data(body)) if body else b""]
        parts.append(self._http.send(h11.EndOfMessage()))
        self._wire.send(b"".join(part for part in parts if part))
        while True:
            event = await self._event(before_body=True)
            if isinstance(event, h11.Response):
                return self._head(event)

    async def receive(self) -> bytes:
        """More of the response's body as it comes, still coded; nothing when it is over. Raises Failure."""
        while True:
            event = await self._event(before_body=False)
            if isinstance(event, h11.EndOfMessage):
                return b""
            if isinstance(event, h11.Data) and event.data:
                return bytes(event.data)

    def again(self) -> bool:
        """Whether another request may follow; nothing of the last response may be left to answer that one."""
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        if not self._wire.quiet or self._http.trailing_data[0]:
            return False
        self._wire.rest()
        self._http.start_next_cycle()
        self.used = True
        return True

    @property
    def open(self) -> bool:
        """As far as is known on this machine; asked right before it is used again."""
        return self._wire.at_rest

    def close(self) -> None:
        """Ends it now."""
        self._wire.close()

    def _head(self, response: h11.Response) -> Head:
        headers = tuple(response.headers)
        # With one read more may have come than there is room for.
        if self._received > MAX_HEADER_BYTES and sum(map(len, chain.from_iterable(headers))) > MAX_HEADER_BYTES:
            raise _large_head()
        return Head(response.status_code, response.reason, headers)

    async def _event(self, *, before_body: bool) -> object:
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise _broken(error) from None
            if event is h11.PAUSED:
                raise Failure(Kind.BAD_RESPONSE, "the server wants to speak another protocol")
            if event is not h11.NEED_DATA:
                return event
            if before_body and self._received > MAX_HEADER_BYTES:
                raise _large_head()
            await self._feed(before_body=before_body)

    async def _feed(self, *, before_body: bool) -> None:
        try:
            data = await self._wire.receive()
        except OSError as error:
            if not self._received:
                raise Unanswered(str(error)) from None
            raise Failure(Kind.BAD_RESPONSE, f"the connection broke within the response: {error}") from None
        if not data and not self._received:
            raise Unanswered("closed")
        if not data and before_body:
            raise Failure(Kind.BAD_RESPONSE, "the connection was closed within the response's head")
        self._received += len(data)
        try:
            self._http.receive_data(data)
        except h11.RemoteProtocolError as error:
            raise _broken(error) from None


def _large_head() -> Failure:
    return Failure(Kind.TOO_LARGE, f"the response's head has more than {MAX_HEADER_BYTES} bytes", terminal=True)


def _broken(error: h11.RemoteProtocolError) -> Failure:
    """What h11 says may quote the server."""
    if error.error_status_hint == 431:
        return _large_head()
    return Failure(Kind.BAD_RESPONSE, f"no HTTP/1.1: {excerpt(str(error).encode(), _SHOWN_BYTES)}")

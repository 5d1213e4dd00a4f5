"""One request and its answer, the body decoded and no longer than it may be."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from worker_bridge.executors.egress.policy import HostClass
from worker_bridge.executors.http.connection import Connection, Head, Unanswered
from worker_bridge.executors.http.decoding import decoder
from worker_bridge.executors.http.failure import Failure, Kind
from worker_bridge.executors.http.pool import Pool
from worker_bridge.executors.http.request import WRITING, Request

MAX_BODY_BYTES: Final = 2 << 20

# Of an answer that is not the task's output: enough for an excerpt, and mostly for the connection to be used again.
_UNWANTED_BYTES: Final = 64 << 10
# Asking twice changes nothing: a server may close a connection in the very moment in which it is used again.
_HARMLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_ALWAYS: Final = {"user-agent": "worker-bridge", "accept-encoding": "gzip"}


@dataclass(frozen=True, slots=True)
class Answer:
    """A response; of one that is not wanted as output, `body` may be the beginning only."""

    host: HostClass
    head: Head
    body: bytes


async def exchange(pool: Pool, request: Request, wanted: Callable[[Head], bool]) -> Answer:
    """Sends `request`; `wanted` tells whether the body is the output. Raises Failure, and Refused."""
    try:
        return await _exchange(pool, request, wanted, fresh=False)
    except Unanswered:
        return await _exchange(pool, request, wanted, fresh=True)


async def _exchange(pool: Pool, request: Request, wanted: Callable[[Head], bool], *, fresh: bool) -> Answer:
    async with pool.connection(request.target, fresh=fresh) as connection:
        again = connection.used and request.method in _HARMLESS
        try:
            head = await connection.send(request.method, request.target, _framed(request), request.body)
        except Unanswered as error:
            if again:
                raise
            raise Failure(
                Kind.BAD_RESPONSE, f"{request.target.authority} closed the connection without an answer: {error}"
            ) from None
        body = await (_whole(connection, head) if wanted(head) else _beginning(connection, head))
        return Answer(connection.host, head, body)


def _framed(request: Request) -> dict[str, str]:
    headers = _ALWAYS | dict(request.headers)
    if request.body is not None or request.method in WRITING:
        headers["content-length"] = str(len(request.body or b""))
    return headers


async def _whole(connection: Connection, head: Head) -> bytes:
    parts: list[bytes] = []
    size = 0
    coded = decoder(head.values(b"content-encoding"))
    async with aclosing(connection.body()) as body:
        async for data in body:
            for piece in coded.pieces(data):
                size += len(piece)
                if size > MAX_BODY_BYTES:
                    text = f"the response's body has more than {MAX_BODY_BYTES} bytes"
                    raise Failure(Kind.TOO_LARGE, text, terminal=True)
                parts.append(piece)
    coded.end()
    return b"".join(parts)


async def _beginning(connection: Connection, head: Head) -> bytes:
    """What can be had of it: the status is what counts."""
    parts: list[bytes] = []
    size = 0
    try:
        coded = decoder(head.values(b"content-encoding"))
        async with aclosing(connection.body()) as body:
            async for data in body:
                for piece in coded.pieces(data):
                    size += len(piece)
                    if size > _UNWANTED_BYTES:
                        return b"".join(parts)
                    parts.append(piece)
    except Failure:
        pass
    return b"".join(parts)

"""One request and its answer, the body decoded and no longer than it may be."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
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
_UNWANTED_SECONDS: Final = 1.0
# Asking twice changes nothing: a server may close a connection in the very moment in which it is used again. Of others,
# a key says that we can, not that this server looks at it: trying them again is the coordinator's matter.
_HARMLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_ALWAYS: Final = {"user-agent": "worker-bridge", "accept-encoding": "gzip"}


@dataclass(frozen=True, slots=True)
class Answer:
    """A response; of one that is not wanted as output, `body` may be the beginning only."""

    host: HostClass
    head: Head
    body: bytes = field(repr=False)


async def exchange(pool: Pool, request: Request, wanted: Callable[[Head], bool]) -> Answer:
    """Sends `request`; `wanted` tells whether the body is the output. Raises Failure, and Refused."""
    try:
        return await _exchange(pool, request, wanted, fresh=False)
    except Unanswered:
        return await _exchange(pool, request, wanted, fresh=True)


async def _exchange(pool: Pool, request: Request, wanted: Callable[[Head], bool], *, fresh: bool) -> Answer:
    connection = await pool.take(request.target, fresh=fresh)
    try:
        head = await _sent(connection, request)
        body = await (_whole(connection, head) if wanted(head) else _beginning(connection, head))
        return Answer(connection.host, head, body)
    except Failure as failure:
        if failure.kind is not Kind.BAD_RESPONSE or request.may_be_done_twice:
            raise
        text = f"{failure.text}. A {request.method} without an Idempotency-Key is not tried again"
        raise Failure(failure.kind, text, terminal=True) from None
    finally:
        pool.put_back(connection)


async def _sent(connection: Connection, request: Request) -> Head:
    """What the answer begins with. Raises Unanswered where the same may be sent again."""
    again = connection.used and request.method in _HARMLESS
    try:
        return await connection.send(request.method, request.target, _framed(request), request.body)
    except Unanswered as error:
        if again:
            raise
        raise Failure(Kind.BAD_RESPONSE, _what_is_known(connection, request, error)) from None


def _what_is_known(connection: Connection, request: Request, ended: Unanswered) -> str:
    which = "a connection kept from an earlier request" if connection.used else "a new connection"
    text = f"{request.target.authority} ended {which} ({ended}) before a byte of its answer"
    if request.method in _HARMLESS:
        return text
    return f"{text}: whether it has done what the {request.method} asks for is not known"


def _framed(request: Request) -> dict[str, str]:
    headers = _ALWAYS | dict(request.headers)
    if request.body is not None or request.method in WRITING:
        headers["content-length"] = str(len(request.body or b""))
    return headers


async def _whole(connection: Connection, head: Head) -> bytes:
    parts: list[bytes] = []
    size = 0
    coded = decoder(head.values(b"content-encoding"))
    while data := await connection.receive():
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
    with contextlib.suppress(Failure, TimeoutError):
        coded = decoder(head.values(b"content-encoding"))
        async with asyncio.timeout(_UNWANTED_SECONDS):
            while data := await connection.receive():
                for piece in coded.pieces(data):
                    size += len(piece)
                    if size > _UNWANTED_BYTES:
                        return b"".join(parts)
                    parts.append(piece)
    return b"".join(parts)

"""A web server that sends any bytes: an output or one of our errors, however they are cut, and the same that the
standard library's reader finds in them.
"""

from __future__ import annotations

import gzip
import http.client
import io
import json
import zlib
from datetime import UTC, datetime
from typing import Any

from tests.fuzz.source import Source, pieces
from tests.fuzz.virtual_loop import run
from worker_bridge.executors.egress.policy import HostClass
from worker_bridge.executors.egress.refusal import Refused
from worker_bridge.executors.egress.url import Target, parse_url
from worker_bridge.executors.http.answer import output_of
from worker_bridge.executors.http.connection import Connection
from worker_bridge.executors.http.exchange import MAX_BODY_BYTES, Answer, exchange
from worker_bridge.executors.http.failure import Failure, excerpt
from worker_bridge.executors.http.pool import Pool
from worker_bridge.executors.http.redirects import leads_elsewhere, redirected
from worker_bridge.executors.http.request import Request
from worker_bridge.executors.http.retry_after import asked_to_wait
from worker_bridge.executors.http.wire import Wire

HERE = parse_url("https://a.example.com/x")
METHODS = ("GET", "HEAD", "POST")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SHOWN_BYTES = 1 << 10


def seeds() -> list[bytes]:
    ok, end = b"HTTP/1.1 200 OK\r\n", b"\r\n"
    chunked = ok + b"Transfer-Encoding: chunked\r\n" + end
    answers = [
        ok + b"Content-Length: 5\r\nContent-Type: text/plain; charset=latin1\r\n" + end + b"hell\xf6",
        ok + b"Content-Type: application/json\r\nContent-Length: 7\r\n" + end + b'{"a":1}',
        chunked + b"5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: x\r\n\r\n",
        chunked + b"00000000000000005\r\nhello\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        ok + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n" + end + b"0\r\n\r\n",
        ok + b"Content-Length: 5\r\nContent-Length: 6\r\n" + end + b"hello!",
        ok + b"Content-Encoding: gzip\r\n" + end + gzip.compress(b'{"a": [1]}', mtime=0) + gzip.compress(b" ", mtime=0),
        ok + b"Content-Encoding: deflate\r\nContent-Length: 10\r\n" + end + zlib.compress(b"ab"),
        ok + b"Content-Encoding: deflate\r\n" + end + zlib.compress(bytes(9000))[2:-4],
        b"HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n" + ok + b"Content-Type: image/png\r\n" + end + b"\x89PNG",
        b"HTTP/1.1 302 Found\r\nLocation: //b.example.com/y?z#w\r\nContent-Length: 0\r\n" + end,
        b"HTTP/1.1 429 Slow\r\nRetry-After: Wed, 21 Oct 2099 07:28:00 GMT\r\n" + end + b"\x1b[31mno\r\n",
        b"HTTP/1.0 204 None\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n" + end,
        b"HTTP/1.1 101 Switch\r\n\r\n",
        b"\r\nHTTP/1.1 200 OK\nA: b\n folded\n\nbody",
    ]
    return [bytes([at % 3, 3, 40]) + answer for at, answer in enumerate(answers)]


def check(data: bytes) -> None:
    source = Source(data)
    method, cuts = source.choice(METHODS), source.take(2)
    stream = source.rest()
    whole = run(_told([stream], method))
    assert run(_told(pieces(stream, cuts), method)) == whole, "it depends on how it was cut"
    if not isinstance(whole, str):
        _judge(whole, stream, method)


class Scripted(Wire):
    """Pieces that came, and then an end."""

    def __init__(self, came: list[bytes]) -> None:
        super().__init__()
        self._pieces = [piece for piece in came if piece]

    @property
    def quiet(self) -> bool:
        return bool(self._pieces)

    def send(self, data: bytes) -> None: ...

    async def receive(self) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""


async def _told(came: list[bytes], method: str) -> Answer | str:
    """What the executor makes of it, or which of our errors."""

    async def dial(target: Target) -> Connection:
        return Connection(target.origin, HostClass.PUBLIC, Scripted(came))

    pool, request = Pool(dial), Request(method, HERE, {})
    try:
        answer = await exchange(pool, request, lambda head: head.status < 400)
        if leads_elsewhere(answer.head):
            redirected(request, answer.head)
        return answer
    except (Failure, Refused) as error:
        failed = error
    finally:
        pool.close()
    assert str(failed).isprintable()
    return type(failed).__name__  # what is said of broken bytes is said as soon as it shows, so of more or fewer


def _judge(answer: Answer, stream: bytes, method: str) -> None:
    assert len(answer.body) <= MAX_BODY_BYTES
    for content_type in answer.head.values(b"content-type") or [b""]:
        json.loads(output_of(answer.body, content_type))
    assert excerpt(answer.body, SHOWN_BYTES).isprintable()
    assert (asked_to_wait(answer.head.status, answer.head.values(b"retry-after"), NOW) or 1) > 0
    second = _second_reading(stream, method)
    if second is not None:
        assert second[0] == answer.head.status
        if not answer.head.values(b"content-encoding"):
            assert answer.body == second[1] or answer.head.status >= 400


class _Socket:
    def __init__(self, stream: bytes) -> None:
        self._stream = stream

    def makefile(self, mode: str) -> Any:
        return io.BytesIO(self._stream)


def _second_reading(stream: bytes, method: str) -> tuple[int, bytes] | None:
    """Status and body; None where that reader gives up, or takes another interim answer than 100 for the last."""
    response = http.client.HTTPResponse(_Socket(stream), method=method)  # type: ignore[arg-type]
    try:
        response.begin()
        if response.status < 200:
            return None
        # RFC 9112, 6.3: these have no body, whatever they say. That reader takes one in chunks.
        bodiless = method == "HEAD" or response.status in {204, 304}
        return response.status, b"" if bodiless else response.read()
    except (http.client.HTTPException, ValueError):
        return None

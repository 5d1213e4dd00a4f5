"""Whatever bytes come, in whatever pieces: a body, or one of our errors."""

from __future__ import annotations

import asyncio
import gzip
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets.http_answer import Scripted
from worker_bridge.executors.egress.policy import HostClass
from worker_bridge.executors.egress.refusal import Refused
from worker_bridge.executors.egress.url import Target, parse_url
from worker_bridge.executors.http.answer import output_of
from worker_bridge.executors.http.connection import Connection
from worker_bridge.executors.http.exchange import MAX_BODY_BYTES, exchange
from worker_bridge.executors.http.failure import Failure
from worker_bridge.executors.http.pool import Pool
from worker_bridge.executors.http.redirects import leads_elsewhere, redirected
from worker_bridge.executors.http.request import Request

HERE = parse_url("https://a.example.com/x")
PIECES = st.sampled_from(
    [
        *(
            b"HTTP/1.1 200 OK\r\n",
            b"HTTP/1.1 302 Go\r\n",
            b"HTTP/1.1 103 Hint\r\n\r\n",
            b"HTTP/1.0 404 \r\n",
            b"\r\n",
            b"\n",
        ),
        *(
            b"Content-Length: 5\r\n",
            b"Content-Length: 0\r\n",
            b"Transfer-Encoding: chunked\r\n",
            b"Connection: close\r\n",
        ),
        *(b"Content-Encoding: gzip\r\n", b"Content-Encoding: deflate\r\n", b"Location: /y\r\n", b"Location: //b\r\n"),
        *(
            b"Content-Type: text/plain; charset=utf-16\r\n",
            b"Upgrade: x\r\n",
            b"X: \xff\r\n",
            b" folded\r\n",
            b"5\r\nhello\r\n",
        ),
        *(b"0\r\n\r\n", b"hello", b"{}", gzip.compress(b"{}", mtime=0), b"\0", b":", b"\xef\xbb\xbf"),
    ]
)


async def read(pieces: list[bytes], method: str) -> None:
    async def dial(target: Target) -> Connection:
        return Connection(target.origin, HostClass.PUBLIC, Scripted(pieces))

    pool, request, said = Pool(dial), Request(method, HERE, {}), ""
    try:
        answer = await exchange(pool, request, lambda head: head.status < 400)
        assert len(answer.body) <= MAX_BODY_BYTES
        for content_type in answer.head.values(b"content-type") or [b""]:
            json.loads(output_of(answer.body, content_type))
        if leads_elsewhere(answer.head):
            redirected(request, answer.head)
    except (Failure, Refused) as error:
        said = str(error)
    finally:
        pool.close()
    assert said.isprintable()


@given(st.lists(PIECES | st.binary(max_size=20), max_size=14), st.sampled_from(["GET", "HEAD", "POST"]), st.booleans())
@settings(max_examples=1_500, deadline=None)
def test_a_response_of_any_bytes(pieces: list[bytes], method: str, together: bool) -> None:
    asyncio.run(read([b"".join(pieces)] if together else pieces, method))

"""Connections: shared, used again, bounded, and never a way from one task to another."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl

import pytest

from tests.http_node.servers import Got, Hangup, Node, answer, node, saying, serving

OK = answer(b'{"ok": true}', headers=[("Content-Type", "application/json")])


async def test_cancelling_closes_the_connection() -> None:
    gone = asyncio.Event()

    async def act(_got: Got, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        assert await reader.read() == b""
        gone.set()
        raise Hangup

    async with serving(act) as server, node() as made:
        execution = asyncio.create_task(made.run(server.url, "POST"))
        while not server.got:  # noqa: ASYNC110 - a figure of the server's
            await asyncio.sleep(0.01)
        execution.cancel()
        with pytest.raises(asyncio.CancelledError):
            await execution
        async with asyncio.timeout(30):
            await gone.wait()


async def test_a_connection_that_is_refused() -> None:
    async with serving(saying(OK)) as server:
        url = server.url
    async with node() as made:
        assert (await made.error(url, terminal=False)).startswith(f"CONNECT_FAILED: {url[7:]}: ")


async def test_a_large_body_that_the_server_does_not_read() -> None:
    """It answers before it has read the request, which it never does."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer(b"too much", "413 Content Too Large"))
        await writer.drain()
        await asyncio.sleep(3_600)

    listening = await asyncio.start_server(act, "127.0.0.1", 0, limit=1 << 16)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with node() as made:
        error = await made.error(url, "POST", body="x" * (8 << 20), terminal=True)
        assert error == "HTTP_STATUS: 413 Content Too Large: too much"
    listening.close()  # not `async with`: from 3.12 on that waits for a connection whose end this server does not read


async def test_connections_are_used_again_and_shared() -> None:
    async with serving(saying(OK)) as server, node() as made:
        for _ in range(50):
            await made.output(server.url)
        assert server.connections == 1


async def test_connections_over_tls_are_used_again(trusted: ssl.SSLContext, certified: ssl.SSLContext) -> None:
    """What TLS 1.3 sends behind its handshake is no end, and no answer that nobody asked for."""
    async with serving(saying(OK), certified) as server, node(tls=trusted) as made:
        for method in ("POST", "GET") * 5:
            await made.output(f"https://{server.address}/", method)
        assert server.connections == 1


async def test_at_most_twenty_connections_to_a_host() -> None:
    open_now, most, all_there = 0, 0, asyncio.Event()

    async def act(_got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        if open_now == 20:
            all_there.set()
        await all_there.wait()
        await asyncio.sleep(0.01)
        open_now -= 1
        writer.write(OK)

    async with serving(act) as server, node() as made:
        outcomes = await asyncio.gather(*(made.output(server.url) for _ in range(100)))
        assert outcomes == [{"ok": True}] * 100
        assert most == 20
        assert server.connections == 20


async def nothing_idle(made: Node) -> None:
    """Waits until whatever comes to a connection that nobody uses has come, and ended it."""
    async with asyncio.timeout(30):
        while any(one.open for one in made.executor._pool._idle):  # noqa: ASYNC110 - a figure of the pool's
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("later", [False, True])
async def test_bytes_that_nobody_asked_for_answer_no_other_task(later: bool) -> None:
    """A second response behind the first one, with it or later, is never the answer of the next request."""
    poison = answer(b'"poison"')

    async def act(_got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not later:
            writer.write(OK + poison)
            return
        writer.write(OK)
        await asyncio.sleep(0.05)
        writer.write(poison)

    async with serving(act) as server, node() as made:
        for _ in range(5):
            assert await made.output(server.url) == {"ok": True}
            await nothing_idle(made)
        assert server.connections == 5


async def test_bytes_that_nobody_asked_for_end_the_connection_at_once() -> None:
    ended = asyncio.Event()

    async def act(_got: Got, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK)
        await asyncio.sleep(0.05)
        writer.write(answer(b'"poison"'))
        try:
            await reader.read()
        finally:
            ended.set()

    async with serving(act) as server, node() as made:
        assert await made.output(server.url) == {"ok": True}
        async with asyncio.timeout(30):
            await ended.wait()


async def test_a_connection_closed_while_idle_costs_nobody_a_request() -> None:
    async def act(_got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK)
        await writer.drain()
        raise Hangup

    async with serving(act) as server, node() as made:
        for method in ("GET", "POST") * 5:
            assert await made.output(server.url, method) == {"ok": True}
            await nothing_idle(made)
        assert len(server.got) == 10


async def test_an_end_that_the_event_loop_has_not_come_to_is_seen_before_a_request_is_sent() -> None:
    """The server's end of the connection is shut behind asyncio's back, and the next request begins in that moment."""
    ends: list[int] = []

    async def act(_got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends.append(writer.get_extra_info("socket").fileno())
        writer.write(OK)

    async with serving(act) as server, node() as made:
        for method in ("GET", "POST", "PATCH", "DELETE"):
            assert await made.output(server.url, method) == {"ok": True}
            with socket.socket(fileno=os.dup(ends[-1])) as its:
                its.shutdown(socket.SHUT_RDWR)
        assert [got.method for got in server.got] == ["GET", "POST", "PATCH", "DELETE"]
        assert server.connections == 4


UNKNOWN = "before a byte of its answer: whether it has done what the"
NOT_AGAIN = " without an Idempotency-Key is not tried again"


@pytest.mark.parametrize(
    ("method", "headers", "terminal"),
    [
        ("POST", {}, False),
        ("POST", {"Idempotency-Key": "mine"}, False),
        ("POST", {"idempotency-key": ""}, True),
        ("PATCH", {}, False),
        ("PATCH", {"Idempotency-Key": ""}, True),
        ("PUT", {"Idempotency-Key": ""}, False),
        ("DELETE", {}, False),
    ],
)
@pytest.mark.parametrize("used", [True, False])
async def test_what_is_not_known_to_be_done_is_tried_again_where_that_is_safe(
    method: str, headers: dict[str, str], terminal: bool, used: bool
) -> None:
    async def act(got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if got.path == "/goes":
            raise Hangup
        writer.write(OK)

    async with serving(act) as server, node() as made:
        if used:
            await made.output(server.url)
        error = await made.error(f"{server.url}/goes", method, headers=headers, terminal=terminal)
        which = "a connection kept from an earlier request" if used else "a new connection"
        assert error.startswith(f"BAD_RESPONSE: {server.address} ended {which} (")
        assert f"{UNKNOWN} {method} asks for is not known" in error
        assert error.endswith(f"A {method}{NOT_AGAIN}") is terminal
        assert [got.path for got in server.got].count("/goes") == 1


@pytest.mark.parametrize(("key", "terminal"), [(None, False), ("", True)])
async def test_an_answer_that_breaks_off_or_does_not_come_says_no_more_of_what_was_done(
    key: str | None, terminal: bool
) -> None:
    async def act(got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if got.path == "/breaks":
            writer.write(OK[:20])
            await writer.drain()
            raise Hangup
        await asyncio.sleep(30)

    headers = {} if key is None else {"Idempotency-Key": key}
    async with serving(act) as server, node() as made:
        broken = await made.error(f"{server.url}/breaks", "POST", headers=headers, terminal=terminal)
        assert broken.startswith("BAD_RESPONSE: ")
        late = await made.error(f"{server.url}/waits", "POST", headers=headers, timeout_seconds=0.2, terminal=terminal)
        assert late.startswith("TIMEOUT: ")


async def test_a_request_that_writes_is_never_sent_again_by_itself() -> None:
    """The server takes the second request on a connection and goes."""

    async def act(got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if got.path == "/second":
            raise Hangup
        writer.write(OK)

    async with serving(act) as server, node() as made:
        await made.output(server.url)
        error = await made.error(f"{server.url}/second", "POST", body=1, terminal=False)
        assert error.startswith("BAD_RESPONSE: ")
        assert [got.path for got in server.got] == ["/", "/second"]
        await made.output(server.url)
        error = await made.error(f"{server.url}/second", terminal=False)
        assert error.startswith("BAD_RESPONSE: ")
        assert [got.path for got in server.got][2:] == ["/", "/second", "/second"]

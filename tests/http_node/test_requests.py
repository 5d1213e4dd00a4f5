"""Requests against an honest server: what is sent, and what comes of each answer."""

from __future__ import annotations

import asyncio
import gzip
import json
import time

import pytest

from tests.http_node.servers import Got, answer, node, saying, serving
from worker_bridge.executors.egress.policy import HostClass, Policy
from worker_bridge.executors.egress.refusal import Reason
from worker_bridge.executors.egress.url import parse_url

OK = answer(b'{"ok": true}', headers=[("Content-Type", "application/json")])


async def test_a_request_as_it_arrives() -> None:
    async with serving(saying(OK)) as server, node() as made:
        assert await made.output(f"{server.url}/a", "POST", body={"n": 1}, query={"q": "ü"}) == {"ok": True}
        (got,) = server.got
        assert (got.method, got.path, got.body) == ("POST", "/a?q=%C3%BC", b'{"n": 1}')
        assert got.header("host") == server.address
        assert got.header("content-type") == "application/json"
        assert got.header("idempotency-key") == "task-1"
        assert got.header("accept-encoding") == "gzip"
        assert got.header("cookie") is None
        assert made.figures.answered == {(HostClass.EXCEPTION, 200): 1}


async def test_what_the_environment_says_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    cookie = answer(b"{}", headers=[("Set-Cookie", "a=b; Path=/")])
    async with serving(saying(cookie)) as server, node() as made:
        await made.output(server.url)
        await made.output(server.url, headers={"X-Mine": "1"})
        assert server.connections == 1
        for got in server.got:
            assert got.header("cookie") is None
            assert got.header("authorization") is None


async def test_gzip_is_undone() -> None:
    coded = answer(gzip.compress(b'{"a": 1}', mtime=0), headers=[("Content-Encoding", "gzip")])
    async with serving(saying(coded)) as server, node() as made:
        assert await made.output(server.url) == {"a": 1}


async def test_head_and_statuses_without_a_body() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nContent-Encoding: gzip\r\n\r\n"
    empty = b"HTTP/1.1 204 No Content\r\n\r\n"
    async with serving(saying(head, empty, b"HTTP/1.1 304 Not Modified\r\n\r\n")) as server, node() as made:
        assert await made.output(server.url, "HEAD") == {}
        assert await made.output(server.url, "DELETE") == {}
        assert await made.output(server.url) == {}
        assert server.connections == 1


@pytest.mark.parametrize(
    ("status", "terminal"),
    [
        (400, True),
        (401, True),
        (403, True),
        (404, True),
        (409, True),
        (422, True),
        (408, False),
        (425, False),
        (429, False),
        (500, False),
        (502, False),
        (503, False),
    ],
)
async def test_a_status_from_400_fails(status: int, terminal: bool) -> None:
    said = answer(b"no \x1b[31m such\n" + b"x" * 5_000, f"{status} Not \x7f Good".encode().decode())
    async with serving(saying(said)) as server, node() as made:
        error = await made.error(server.url, terminal=terminal)
        assert error.startswith(f"HTTP_STATUS: {status} Not")
        assert "no \\x1b[31m such\\nxxx" in error
        assert error.isprintable()
        assert len(error.encode()) <= 1_024 + 200
        await made.error(server.url, terminal=terminal)
        assert server.connections == 1


async def test_statuses_that_an_author_expects() -> None:
    missing = answer(b'{"gone": 1}', "404 Not Found")
    async with serving(saying(missing, missing, OK, answer(b"x", "202 Accepted"))) as server, node() as made:
        assert await made.output(server.url, expect_status=404) == {"gone": 1}
        assert await made.output(server.url, expect_status=[200, 404]) == {"gone": 1}
        assert (await made.error(server.url, expect_status=[201], terminal=False)).startswith("HTTP_STATUS: 200 OK: ")
        assert (await made.error(server.url, expect_status=200, terminal=False)).startswith("HTTP_STATUS: 202 Accepted")


async def test_a_server_that_asks_to_wait_is_asked_again_with_the_same_key() -> None:
    busy = answer(b"", "429 Too Many Requests", [("Retry-After", "0")])
    down = answer(b"", "503 Service Unavailable", [("Retry-After", "0")])
    async with serving(saying(busy, down, OK)) as server, node() as made:
        assert await made.output(server.url, "POST", body=1) == {"ok": True}
        assert [got.header("idempotency-key") for got in server.got] == ["task-1"] * 3
        assert [got.body for got in server.got] == [b"1"] * 3


async def test_waiting_has_an_end() -> None:
    busy = answer(b"later", "503 Service Unavailable", [("Retry-After", "0")])
    async with serving(saying(busy)) as server, node() as made:
        assert (await made.error(server.url, terminal=False)) == "HTTP_STATUS: 503 Service Unavailable: later"
        assert len(server.got) == 6


async def test_a_wait_that_the_deadline_forbids_is_left_to_the_coordinator() -> None:
    busy = answer(b"", "503 Service Unavailable", [("Retry-After", "60")])
    async with serving(saying(busy)) as server, node() as made:
        assert (await made.error(server.url, seconds=20, terminal=False)).startswith("HTTP_STATUS: 503")
        assert len(server.got) == 1


async def test_an_expected_429_is_not_waited_for() -> None:
    busy = answer(b"[]", "429 Too Many Requests", [("Retry-After", "0")])
    async with serving(saying(busy)) as server, node() as made:
        assert await made.output(server.url, expect_status=429) == []
        assert len(server.got) == 1


async def test_a_timeout_is_for_all_of_it() -> None:
    async def act(_got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while True:
            writer.write(b"x")
            await asyncio.sleep(0.02)

    async with serving(act) as server, node() as made:
        error = await made.error(server.url, timeout_seconds=0.5, terminal=False)
        assert error == "TIMEOUT: no whole response within 0.5 s"
        assert (await made.error(server.url, seconds=1, timeout_seconds=50, terminal=False)).endswith("within 1 s")


async def test_the_trace_goes_to_listed_hosts_only() -> None:
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    async with serving(saying(OK)) as server:
        text = json.dumps({"method": "GET", "url": server.url})
        async with node() as made:
            assert (await made.text(text, traceparent=trace)).completed
        target = parse_url(server.url)
        async with node(Policy(hosts=frozenset({(target.host, target.port)}))) as made:
            assert (await made.text(text, traceparent=trace)).completed
        assert [got.header("traceparent") for got in server.got] == [None, trace]


async def test_refusals_are_counted_and_final() -> None:
    async with node(Policy()) as made:
        assert (await made.error("http://127.0.0.1:80/", terminal=True)).startswith(
            "EGRESS_REFUSED: 127.0.0.1: not public"
        )
        await made.error("http://169.254.169.254/", terminal=True)
        await made.error("http://user@example.com/", terminal=True)
        assert made.figures.refused == {Reason.ADDRESS: 1, Reason.METADATA: 1, Reason.USERINFO: 1}
        assert made.figures.answered == {}
        begun = time.monotonic()
        assert (await made.text("{}")).error.startswith("BAD_REQUEST: ")
        assert time.monotonic() - begun < 10

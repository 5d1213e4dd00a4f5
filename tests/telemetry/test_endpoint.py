"""Whoever asks for figures, and however: the endpoint answers what it should, and the loop goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.core import CounterMetricFamily

from operating.telemetry.endpoint import Endpoint

ASK = b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n"
GUARD_SECONDS = 60


class Counting:
    """A collector that knows how often it was looked at."""

    def __init__(self) -> None:
        self.looks = 0
        self.costs = 0.0

    def collect(self) -> list[Any]:
        if self.costs:
            until = time.perf_counter() + self.costs
            while time.perf_counter() < until:
                pass
        self.looks += 1
        return [CounterMetricFamily("looks", "Looks", value=self.looks)]


@pytest.fixture
def counting() -> Counting:
    return Counting()


@pytest.fixture
async def port(counting: Counting) -> AsyncIterator[int]:
    registry = CollectorRegistry()
    Counter("things", "Things", registry=registry).inc(3)
    registry.register(counting)  # type: ignore[arg-type]
    endpoint = Endpoint(registry)
    yield endpoint.listen("127.0.0.1", 0)
    await endpoint.close()


async def answer(port: int, said: bytes) -> bytes:
    """All that comes back until the connection ends."""
    async with asyncio.timeout(GUARD_SECONDS):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(said)
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()


async def test_figures(port: int) -> None:
    head, _, body = (await answer(port, ASK)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"Content-Type: text/plain; version=0.0.4; charset=utf-8" in head
    assert b"\nthings_total 3.0\n" in body
    assert b"_created" not in body
    assert body.endswith(b"\n")


async def test_a_query_is_no_matter(port: int) -> None:
    assert (await answer(port, ASK.replace(b"/metrics", b"/metrics?name[]=x"))).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", 404),
        (b"POST /metrics HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\nhello", 405),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\n\r\n", 400),  # no Host (RFC 9112, section 3.2)
        (b"GET /metrics HTTP/1.1\r\nHost: here\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", 431),
        (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: here\r\n\r\n", 431),
    ],
)
async def test_what_is_no_such_request(port: int, said: bytes, status: int) -> None:
    got = await answer(port, said)
    # What is still unread when a connection is closed resets it (RFC 1122, section 4.2.2.13): the answer may be lost.
    assert got.startswith(b"HTTP/1.1 %d " % status) or (status == 431 and not got)
    assert b"things" not in got
    assert (await answer(port, ASK)).startswith(b"HTTP/1.1 200 ")


async def test_of_many_who_say_nothing_the_oldest_go(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operating.telemetry.endpoint._SECONDS", 3600)
    silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(40)]
    got = await answer(port, ASK)
    assert got.startswith(b"HTTP/1.1 200 ")
    async with asyncio.timeout(GUARD_SECONDS):
        assert await silent[0][0].read() == b""
        for _, writer in silent:
            writer.close()


async def test_who_drips_has_no_more_time(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """He is cut off after the time that one connection has in all, though he never stops."""
    monkeypatch.setattr("operating.telemetry.endpoint._SECONDS", 0.5)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    began = asyncio.get_running_loop().time()
    ended = asyncio.create_task(reader.read())
    async with asyncio.timeout(GUARD_SECONDS):
        while not ended.done():
            try:
                writer.write(b"x")
                await writer.drain()
            except ConnectionError:
                break
            await asyncio.sleep(0.02)
    assert asyncio.get_running_loop().time() - began >= 0.4
    writer.close()
    assert (await answer(port, ASK)).startswith(b"HTTP/1.1 200 ")


async def test_who_asks_without_a_pause_gets_the_same_figures_again(port: int, counting: Counting) -> None:
    counting.costs = 0.05
    answers = [await answer(port, ASK) for _ in range(20)]
    assert len({got.partition(b"\r\n\r\n")[2] for got in answers}) == counting.looks < 20


async def test_they_are_looked_up_anew_after_a_while(port: int, counting: Counting) -> None:
    first = await answer(port, ASK)
    async with asyncio.timeout(GUARD_SECONDS):
        while await answer(port, ASK) == first:  # noqa: ASYNC110 - another side's clock
            await asyncio.sleep(0.02)


async def test_others_have_their_turn_between_two_families() -> None:
    registry, turns = CollectorRegistry(), 0
    for number in range(50):
        Counter(f"things_{number}", "Things", registry=registry)
    rendering = asyncio.create_task(Endpoint(registry)._render())
    while not rendering.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns >= 50


async def test_a_collector_that_fails_ends_its_scrape_only(port: int, counting: Counting) -> None:
    works: Callable[[], list[Any]] = counting.collect
    counting.collect = lambda: 1 / 0  # type: ignore[method-assign]
    assert (await answer(port, ASK)).startswith(b"HTTP/1.1 500 ")
    counting.collect = works  # type: ignore[method-assign]
    assert (await answer(port, ASK)).startswith(b"HTTP/1.1 200 ")


async def test_a_taken_port_is_an_error(port: int) -> None:
    with pytest.raises(OSError, match="in use"):
        Endpoint(CollectorRegistry()).listen("127.0.0.1", port)

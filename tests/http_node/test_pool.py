"""How many connections are kept, and for how long; and what is counted."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from prometheus_client import generate_latest

from worker_bridge.executors.egress.policy import HostClass
from worker_bridge.executors.egress.refusal import Reason
from worker_bridge.executors.egress.url import Origin, Target, parse_url
from worker_bridge.executors.http import pool as pool_module
from worker_bridge.executors.http.connection import Connection
from worker_bridge.executors.http.pool import A_HOST, IDLE, Pool
from worker_bridge.metrics import Metrics


@dataclass(eq=False)
class Kept(Connection):
    """A connection without a wire, that may always be used again while it is open."""

    origin: Origin
    closed: bool = False

    @property
    def open(self) -> bool:
        return not self.closed

    def again(self) -> bool:
        return not self.closed

    def close(self) -> None:
        self.closed = True


class Dialed:
    def __init__(self) -> None:
        self.all: list[Kept] = []

    async def dial(self, target: Target) -> Connection:
        self.all.append(Kept(target.origin))
        return self.all[-1]

    @property
    def open(self) -> int:
        return sum(not one.closed for one in self.all)


def target(number: int, path: str = "/") -> Target:
    return parse_url(f"https://host-{number}.example.com{path}")


async def test_a_hundred_idle_ones_the_longest_idle_goes() -> None:
    dialed = Dialed()
    pool = Pool(dialed.dial)
    for number in range(IDLE + 20):
        pool.put_back(await pool.take(target(number)))
    assert dialed.open == IDLE == 100
    assert [one.closed for one in dialed.all] == [True] * 20 + [False] * IDLE
    pool.close()
    assert dialed.open == 0


async def test_twenty_idle_ones_of_a_host_whatever_its_port() -> None:
    dialed = Dialed()
    pool = Pool(dialed.dial)
    for port in range(1, A_HOST + 6):
        pool.put_back(await pool.take(parse_url(f"https://one.example.com:{port}")))
    assert dialed.open == A_HOST == 20
    pool.close()


async def test_the_last_used_is_used_next_and_closed_ones_are_passed_over() -> None:
    dialed = Dialed()
    pool = Pool(dialed.dial)
    taken = [await pool.take(target(1)) for _ in range(3)]
    for one in taken:
        pool.put_back(one)
    assert await pool.take(target(1, "/other")) is taken[2]
    taken[1].close()
    assert await pool.take(target(1)) is taken[0]
    assert await pool.take(target(1), fresh=True) is dialed.all[3]
    pool.close()


async def test_after_a_while_nobody_keeps_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "IDLE_SECONDS", 0.2)
    dialed = Dialed()
    pool = Pool(dialed.dial)
    for number in range(3):
        pool.put_back(await pool.take(target(number)))
        await asyncio.sleep(0.05)
    async with asyncio.timeout(30):
        while dialed.open:  # noqa: ASYNC110 - a figure of the pool's
            await asyncio.sleep(0.01)


async def test_a_cancelled_wait_takes_no_place() -> None:
    dialed = Dialed()
    pool = Pool(dialed.dial)
    taken = [await pool.take(target(1)) for _ in range(A_HOST)]
    waiting = asyncio.create_task(pool.take(target(1)))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait((waiting,))
    for one in taken:
        pool.put_back(one)
    async with asyncio.timeout(30):
        again = [await pool.take(target(1)) for _ in range(A_HOST)]
    assert set(again) == set(taken)
    for one in again:
        pool.put_back(one)
    assert pool._hosts == {}
    pool.close()


async def test_a_dial_that_fails_takes_no_place() -> None:
    async def dial(_target: Target) -> Connection:
        raise OSError

    pool = Pool(dial)
    for _ in range(2 * A_HOST):
        with pytest.raises(OSError):  # noqa: PT011 - its own
            await pool.take(target(1))
    assert pool._hosts == {}


def test_figures_have_closed_labels() -> None:
    metrics = Metrics()
    metrics.http_answered(HostClass.PUBLIC, 204, 0.02)
    metrics.http_answered(HostClass.EXCEPTION, 503, 1.5)
    metrics.http_refused(Reason.METADATA)
    text = generate_latest(metrics._registry).decode()
    assert 'worker_bridge_http_seconds_count{host="public",status="2xx"} 1.0' in text
    assert 'worker_bridge_http_seconds_bucket{host="exception",le="1.0",status="5xx"} 0.0' in text
    assert 'worker_bridge_http_refused_total{reason="metadata"} 1.0' in text

"""The health entries follow the pools, until the drain."""

from __future__ import annotations

import asyncio

from grpc_health.v1 import health_pb2

from langserver.server.health import Health
from tests.integration.server.harness import NOT_SERVING, SERVING


async def statuses(health, *names):
    """Their statuses, once what was told is published."""
    while health.publishing:  # noqa: ASYNC110 - turns of the loop are what it needs
        await asyncio.sleep(0)
    answers = [await health.servicer.Check(health_pb2.HealthCheckRequest(service=name), None) for name in names]
    return [answer.status for answer in answers]


async def test_entries_follow_the_pools():
    health = Health(["python", "js"])
    await health.start()
    python, js = health.listener("python"), health.listener("js")
    assert await statuses(health, "", "python", "js") == [NOT_SERVING] * 3
    python(True)
    assert await statuses(health, "", "python", "js") == [SERVING, SERVING, NOT_SERVING]
    js(True)
    assert await statuses(health, "", "python", "js") == [SERVING] * 3
    python(False)
    assert await statuses(health, "", "python", "js") == [SERVING, NOT_SERVING, SERVING]
    js(False)
    assert await statuses(health, "", "python", "js") == [NOT_SERVING] * 3


async def test_the_last_word_counts():
    health = Health(["python"])
    await health.start()
    tell = health.listener("python")
    for serving in (True, False, True, False, True):
        tell(serving)
    assert await statuses(health, "", "python") == [SERVING, SERVING]


async def test_nothing_serves_after_the_drain():
    health = Health(["python"])
    await health.start()
    tell = health.listener("python")
    tell(True)
    await health.drain()
    tell(True)
    assert await statuses(health, "", "python") == [NOT_SERVING, NOT_SERVING]

"""Two hundred callers against four slots: each call ends, the server goes on answering, and then all is as before."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import grpc
import psutil
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from langserver.pb import lang_pb2, lang_pb2_grpc
from tests.integration.holds.conftest import GUARD_SECONDS, ServerProcess, settled, until
from tests.integration.holds.mixed import TASKS, judge, request

CALLERS, SLOTS, QUEUE, WARM = 200, 4, 32, 2
SETTINGS = {"LANG_MAX_CONCURRENCY": str(SLOTS), "LANG_MAX_QUEUE": str(QUEUE), "LANG_WARM_CHILDREN": str(WARM)}
QUICK = [task for task in TASKS if task.expected not in ("TIMEOUT", "MEMORY_LIMIT")]


@dataclass
class Flood:
    """What became of it. `waited` and `took` are seconds of accepted calls: in the queue, and in a slot."""

    ended: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    health: Counter[int] = field(default_factory=Counter)
    waited: list[float] = field(default_factory=list)
    took: list[float] = field(default_factory=list)


async def flood(address: str, seconds: float) -> Flood:
    """Each caller calls, and calls again; one who is refused comes back when he is told to."""
    found = Flood()
    end = time.monotonic() + seconds
    async with grpc.aio.insecure_channel(address) as channel, grpc.aio.insecure_channel(address) as other:
        stub, health = lang_pb2_grpc.LanguageServerStub(channel), health_pb2_grpc.HealthStub(other)

        async def ask() -> None:
            while True:
                answer = await health.Check(health_pb2.HealthCheckRequest(), timeout=GUARD_SECONDS)
                found.health[answer.status] += 1
                await asyncio.sleep(0.05)

        asking = asyncio.create_task(ask())
        async with asyncio.TaskGroup() as callers:
            for number in range(CALLERS):
                callers.create_task(_call_on(stub, number, end, found))
        asking.cancel()
        await asyncio.wait([asking])
        assert asking.cancelled(), asking.exception()
    return found


async def _call_on(stub: lang_pb2_grpc.LanguageServerStub, number: int, end: float, found: Flood) -> None:
    while time.monotonic() < end or number < CALLERS:  # each of them once at least
        task = QUICK[number % len(QUICK)]
        try:
            response = await stub.Execute(request(task, number), timeout=GUARD_SECONDS)
        except grpc.aio.AioRpcError as error:
            found.ended[error.code().name] += 1
            await asyncio.sleep(_retry_seconds(error))
        else:
            found.ended["answered"] += 1
            found.waited.append(response.usage.queue_seconds)
            found.took.append(response.usage.wall_seconds)
            found.wrong += filter(None, [judge(task, number, response)])
        number += CALLERS


def _retry_seconds(error: grpc.aio.AioRpcError) -> float:
    (detail,) = rpc_status.from_call(error).details
    retry = error_details_pb2.RetryInfo()
    assert detail.Unpack(retry)
    return float(retry.retry_delay.ToMilliseconds()) / 1000


def check(found: Flood) -> None:
    assert set(found.ended) == {"answered", "RESOURCE_EXHAUSTED"}, found.ended
    assert found.wrong == []
    assert set(found.health) == {health_pb2.HealthCheckResponse.SERVING}


def serves_as_before(server: ServerProcess, descriptors: int) -> None:
    """Nothing of the flood is left: the next task waits for nobody."""
    answers = [server.execute("return 1") for _ in range(SLOTS)]
    assert [answer.output_json for answer in answers] == ["1"] * SLOTS
    capabilities = server.stub.GetCapabilities(lang_pb2.GetCapabilitiesRequest(), timeout=GUARD_SECONDS)
    assert capabilities.max_concurrency == SLOTS
    settled(server, WARM)
    until(lambda: server.descriptors == descriptors, "what its callers' connections had is given back")


async def test_more_callers_than_there_is_room_for(make_server: Callable[..., ServerProcess]) -> None:
    server = make_server(**SETTINGS)
    server.execute("return 1")  # this connection stays
    check(await flood(server.address, 0))
    settled(server, WARM)
    descriptors = server.descriptors
    check(await flood(server.address, 0))
    serves_as_before(server, descriptors)


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_minute_of_more_callers_than_there_is_room_for(make_server: Callable[..., ServerProcess]) -> None:
    server = make_server(**SETTINGS)
    server.execute("return 1")
    check(await flood(server.address, 10))
    settled(server, WARM)
    early, descriptors = _memory(server), server.descriptors
    found = await flood(server.address, 60)
    check(found)
    # Who is let in has at most the queue before him, and each of those takes no longer than the longest: with what
    # comes between two tasks of a slot, twice that.
    waited = sorted(found.waited)[len(found.waited) * 99 // 100]
    assert waited <= 2 * (QUEUE / SLOTS + 1) * max(found.took)
    serves_as_before(server, descriptors)
    assert _memory(server) < early * 1.1


def _memory(server: ServerProcess) -> int:
    return int(psutil.Process(server.process.pid).memory_info().rss)

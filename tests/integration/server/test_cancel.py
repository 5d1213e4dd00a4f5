"""Callers who go away at every moment of real tasks: nothing is left of them."""

from __future__ import annotations

import asyncio
import itertools
import os

import grpc
import psutil
import pytest

from langserver.core.fairness import Whose
from langserver.core.verdict import Refusal
from langserver.limits import Ceilings
from langserver.pb import lang_pb2_grpc
from langserver.sandbox.layers import NAMESPACES, REQUIRED
from langserver.sandbox.probe import probe
from langserver.server.gate import Gate
from langserver.server.pool import Pool, PoolPlan
from langserver.server.tasks import Tasks
from langserver.server.zygotes import ZygotePlan
from langserver.zygote.request import TaskRequest, make_job
from tests.integration.server.harness import PATIENCE, request, running_server

HAS_NAMESPACES = {layer.name: layer.available for layer in probe()}[NAMESPACES]
SLOTS, WARM = 4, 2
CALLERS = 120
CODE = "print('x')\ntotal = 0\nfor n in range(20_000): total += n\nreturn total"


def descriptors():
    return len(os.listdir("/proc/self/fd"))


async def until(condition):
    async with asyncio.timeout(PATIENCE):
        for _ in itertools.count():
            if condition():
                return
            await asyncio.sleep(0.01)


@pytest.fixture
async def pool():
    layers = frozenset(layer.name for layer in probe() if layer.available)
    assert layers >= REQUIRED
    pool = Pool(PoolPlan(ZygotePlan("python", layers, 10_000, 600.0), 128 << 20, 301, WARM), lambda serving: None)
    await pool.start()
    yield pool
    await pool.close()


async def settled(pool, gate):
    """How many descriptors there are when nothing runs and the warm children wait."""
    async with asyncio.timeout(PATIENCE):
        await gate.wait_until_empty()
    await until(lambda: pool.waiting == WARM)
    await until(lambda: len(psutil.Process(pool.zygote_pid).children()) == WARM)  # zombies would count
    return descriptors()


async def test_cancelled_at_any_moment(pool):
    gate = Gate(SLOTS, CALLERS)
    tasks = Tasks(gate, {"python": pool})
    job = make_job(TaskRequest("python", CODE), Ceilings(), "run")
    before = await settled(pool, gate)

    async def one(number):
        call = asyncio.create_task(tasks.run(job, Whose("ann"), None, lambda line: None))
        await asyncio.sleep(number % 40 * 0.0003)  # from before the hand-over to after the end
        call.cancel()
        await asyncio.wait([call])
        return call.cancelled()

    cancelled = []
    for first in range(0, CALLERS, 2 * SLOTS):  # half of them wait in the queue
        cancelled += await asyncio.gather(*(one(first + n) for n in range(2 * SLOTS)))
    assert any(cancelled)
    assert await settled(pool, gate) <= before
    assert (gate.running, gate.waiting) == (0, 0)
    finished = await tasks.run(job, Whose("ann"), None, lambda line: None)
    assert finished.outcome.verdict.report.output == b"199990000"


async def test_a_lost_zygote_ends_its_tasks_as_unavailable(pool):
    gate = Gate(SLOTS, 0)
    tasks = Tasks(gate, {"python": pool})
    before = await settled(pool, gate)
    begun = asyncio.Event()
    job = make_job(TaskRequest("python", "print('begun')\nwhile True: pass"), Ceilings(), "run")
    running = asyncio.create_task(tasks.run(job, Whose("ann"), None, lambda line: begun.set()))
    await begun.wait()
    os.kill(pool.zygote_pid, 9)
    verdict = (await running).outcome.verdict
    assert verdict.refusal is Refusal.UNAVAILABLE
    assert verdict.message.startswith("zygote lost")
    assert await settled(pool, gate) <= before


async def test_over_grpc():
    """Cancels and deadlines spread over the life of a task, twenty callers at once; then the server is as it was."""
    with running_server(LANG_MAX_QUEUE="500", LANG_WARM_CHILDREN=str(WARM)) as server:
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub = lang_pb2_grpc.LanguageServerStub(channel)
            await stub.Execute(request(CODE), timeout=PATIENCE)

            codes = set()

            async def caller(number):
                for turn in range(10):
                    moment = (number * 10 + turn) * 0.0002
                    call = stub.Execute(request(CODE), timeout=PATIENCE if turn % 2 else moment)
                    await asyncio.sleep(moment)
                    call.cancel()
                    try:
                        await call
                    except grpc.aio.AioRpcError as error:
                        codes.add(error.code())
                    except asyncio.CancelledError:
                        pass

            await asyncio.gather(*(caller(number) for number in range(20)))
            assert codes <= {grpc.StatusCode.DEADLINE_EXCEEDED}
            response = await stub.Execute(request(CODE), timeout=PATIENCE)
            assert response.output_json == "199990000"
            await until(lambda: len(server.processes()) == WARM + (2 if HAS_NAMESPACES else 1))  # the launcher
        server.signal()
        status, _, errors = server.wait()
    assert status == 0
    assert "Traceback" not in errors, errors
    assert "exception was never retrieved" not in errors

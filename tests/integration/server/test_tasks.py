"""A caller who goes away at each await of an execution leaves no slot, no descriptor and no child behind."""

from __future__ import annotations

import asyncio
import os

import pytest

from langserver.core.fairness import Whose
from langserver.core.outcome import ErrorKind
from langserver.core.verdict import EndReason, Refusal
from langserver.errors import RequestError
from langserver.limits import Asked, Ceilings
from langserver.server.gate import Draining, Gate
from langserver.server.tasks import Tasks
from langserver.wire.frames import Kind, encode
from langserver.zygote.failures import SpawnRefused
from langserver.zygote.request import TaskRequest, make_job
from tests.integration.server.fake_child import DONE, KILLED, FakeChild, FakeSupply


def job(input_bytes=2, **asked):
    request = TaskRequest("js", "1", input_json="1" * input_bytes, asked=Asked(**asked))
    return make_job(request, Ceilings(), "run")


class Bench:
    """One task on one fake child behind a gate of one slot."""

    def __init__(self):
        self.supply = FakeSupply()
        self.gate = Gate(1, 1)
        self.tasks = Tasks(self.gate, {"js": self.supply})
        self.lines = []

    @property
    def child(self):
        return self.supply.child

    def call(self, a_job=None):
        return asyncio.create_task(self.tasks.run(a_job or job(), Whose("ann"), None, self.lines.append))

    async def started(self):
        call = self.call()
        self.supply.allowed.set()
        await self.supply.asked.wait()
        self.child.seal_and_start()
        await settle()
        return call

    def seal_and_report(self):
        self.child.seal_and_start()
        self.child.report()
        self.child.end(DONE)

    async def gone(self, call):
        """The caller leaves, and is not kept waiting."""
        call.cancel()
        await asyncio.wait([call], timeout=5)
        assert call.cancelled()
        assert self.gate.running == 1, "the slot was given back while the child lived"

    async def ended(self):
        """The child dies; all is given back."""
        self.child.end(KILLED)
        async with asyncio.timeout(5):
            await self.gate.wait_until_empty()
        assert self.supply.given_back == 1


async def settle():
    for _ in range(20):
        await asyncio.sleep(0.001)


@pytest.fixture(autouse=True)
async def _no_descriptor_is_left():
    before = set(os.listdir("/proc/self/fd"))
    yield
    assert set(os.listdir("/proc/self/fd")) <= before


async def test_while_it_is_spawned():
    bench = Bench()
    call = bench.call()
    await bench.supply.asked.wait()
    call.cancel()
    await asyncio.wait([call], timeout=5)
    async with asyncio.timeout(5):
        await bench.gate.wait_until_empty()
    assert bench.supply.given_back == 0, "nobody waits for a child any more"
    bench.child.let_go()
    bench.child.close()


async def test_before_it_is_sealed_and_its_limits_are_lowered():
    bench = Bench()
    call = bench.call(job(memory_mb=8))
    bench.supply.allowed.set()
    await settle()
    await bench.gone(call)
    assert bench.child.kills == 1
    await bench.ended()
    assert not bench.child.limiting.is_set()


async def test_while_its_limits_are_lowered():
    bench = Bench()
    call = bench.call(job(memory_mb=8))
    bench.supply.allowed.set()
    await settle()
    assert not bench.child.limiting.is_set(), "it is not sealed"
    bench.child.say(encode(Kind.SEALED))
    await bench.child.limiting.wait()
    await bench.gone(call)
    bench.child.limited.set()
    await settle()
    assert bench.child.kills
    assert bench.child.was_sent() == b"", "it is not known which limits it has"
    await bench.ended()


async def test_limits_that_cannot_be_lowered_leave_nothing_for_the_next_task():
    """Who comes next has pipes of the same numbers."""
    bench = Bench()

    async def refused(*_):
        raise SpawnRefused("no")

    bench.child.limit = refused
    call = bench.call(job(memory_mb=8))
    bench.supply.allowed.set()
    bench.child.say(encode(Kind.SEALED))
    await bench.child.killed.wait()
    assert bench.supply.given_back == 0  # it is still there
    bench.child.end(KILLED)
    failure = (await call).outcome.verdict.failure
    assert (failure.kind, bench.child.kills, bench.supply.given_back) == (ErrorKind.INTERNAL, 1, 1)
    following = Bench()
    call = following.call(job(memory_mb=8))
    following.supply.allowed.set()
    following.child.say(encode(Kind.SEALED))
    following.child.limited.set()
    async with asyncio.timeout(5):
        await following.child.limiting.wait()  # it is heard
    following.child.say(encode(Kind.STARTED))
    following.child.report()
    following.child.end(DONE)
    assert (await call).outcome.verdict.report.output == b"1"


async def test_while_it_is_handed_over():
    bench = Bench()
    call = bench.call(job(input_bytes=1 << 20))  # more than a pipe holds, and nobody reads
    bench.supply.allowed.set()
    await settle()
    await bench.gone(call)
    assert bench.child.kills == 1
    await bench.ended()


async def test_while_it_runs():
    bench = Bench()
    call = await bench.started()
    await bench.gone(call)
    assert bench.child.kills == 1
    await bench.ended()


async def test_while_it_is_reaped():
    bench = Bench()
    call = await bench.started()
    bench.child.report()
    await settle()
    await bench.gone(call)
    await bench.ended()


async def test_in_the_turn_in_which_it_ended():
    bench = Bench()
    call = await bench.started()
    bench.child.report()
    bench.child.end(DONE)
    call.cancel()
    await asyncio.wait([call], timeout=5)
    assert call.cancelled()
    async with asyncio.timeout(5):
        await bench.gate.wait_until_empty()
    assert bench.supply.given_back == 1


async def test_in_the_queue():
    bench = Bench()
    first = await bench.started()
    second = bench.call()
    await settle()
    assert bench.gate.waiting == 1
    second.cancel()
    await asyncio.wait([second], timeout=5)
    assert (bench.gate.running, bench.gate.waiting) == (1, 0)
    bench.child.report()
    bench.child.end(DONE)
    finished = await first
    assert finished.outcome.verdict.report.output == b"1"
    assert finished.queue_seconds < finished.outcome.usage.wall_seconds


async def test_draining_answers_the_queue_and_ends_what_runs():
    bench = Bench()
    running = await bench.started()
    waiting = bench.call()
    await settle()
    bench.gate.drain()
    with pytest.raises(Draining):
        await waiting
    bench.tasks.end_all(EndReason.DRAINED)
    assert bench.child.kills == 1
    await bench.ended()
    verdict = (await running).outcome.verdict
    assert (verdict.refusal, verdict.message[:9]) == (Refusal.UNAVAILABLE, "draining:")


async def test_a_report_that_came_before_the_drain_counts():
    bench = Bench()
    running = await bench.started()
    bench.child.report()
    await settle()
    bench.tasks.end_all(EndReason.DRAINED)
    bench.child.end(DONE)
    assert (await running).outcome.verdict.report.output == b"1"


async def test_a_child_that_never_ends_is_timed_out():
    bench = Bench()
    call = bench.call(job(timeout_seconds=0.05))
    bench.supply.allowed.set()
    async with asyncio.timeout(5):
        await bench.child.killed.wait()
    await bench.ended()
    assert (await call).outcome.verdict.failure.kind is ErrorKind.TIMEOUT


async def test_a_task_s_time_begins_when_it_is_handed_over():
    """Else one that waited long for its child is ended before its first byte is sent."""
    bench = Bench()
    call = bench.call(job(timeout_seconds=0.5))
    await bench.supply.asked.wait()
    await asyncio.sleep(0.6)
    bench.supply.allowed.set()
    await settle()
    assert os.read(bench.child.far_input, 1 << 16)
    bench.seal_and_report()
    assert (await call).outcome.verdict.report.output == b"1"


class Series:
    """Gives one child after the other."""

    def __init__(self, count):
        self.children = [FakeChild() for _ in range(count)]
        self.given = self.given_back = 0

    async def take(self, makes_way=False):
        self.given += 1
        return self.children[self.given - 1]

    def done(self, child):
        child.close()
        self.given_back += 1


@pytest.mark.parametrize("words", [(), (Kind.SEALED,)], ids=["before it was sealed", "sealed"])
async def test_a_child_that_another_killed_before_the_program_began_is_replaced(words):
    """The kernel's killer takes those first that wait, and it harmed nobody."""
    supply = Series(2)
    first, second = supply.children
    call = asyncio.create_task(Tasks(Gate(1, 1), {"js": supply}).run(job(), Whose("ann"), None, lambda _: None))
    await settle()
    first.say(*map(encode, words))
    first.end(KILLED)
    await settle()
    second.seal_and_start()
    second.report()
    second.end(DONE)
    assert (await call).outcome.verdict.report.output == b"1"
    assert supply.given_back == 2


async def test_three_such_children_are_enough():
    supply = Series(3)
    call = asyncio.create_task(Tasks(Gate(1, 1), {"js": supply}).run(job(), Whose("ann"), None, lambda _: None))
    for child in supply.children:
        await settle()
        child.say(encode(Kind.SEALED))
        child.end(KILLED)
    failure = (await call).outcome.verdict.failure
    assert (failure.kind, "killed from outside" in failure.message) == (ErrorKind.CRASHED, True)


async def test_a_child_killed_while_its_program_ran_is_not_replaced():
    supply = Series(1)
    call = asyncio.create_task(Tasks(Gate(1, 1), {"js": supply}).run(job(), Whose("ann"), None, lambda _: None))
    await settle()
    supply.children[0].seal_and_start()
    supply.children[0].end(KILLED)
    assert (await call).outcome.verdict.failure.kind is ErrorKind.CRASHED


async def test_a_fault_of_ours_gives_the_slot_back(caplog):
    bench = Bench()

    async def broken(_):
        raise RuntimeError("boom")

    bench.supply.take = broken
    call = bench.call()
    with pytest.raises(RuntimeError, match="boom"):
        await call
    assert bench.gate.running == 0
    assert "an execution failed" in caplog.text
    bench.child.let_go()
    bench.child.close()


async def test_a_runtime_that_is_not_served():
    with pytest.raises(RequestError, match="does not run js: it runs python"):
        await Tasks(Gate(1, 1), {"python": None}).run(job(), Whose("ann"), None, lambda _: None)

"""Answers that nobody reads: bounded in bytes and in time, and gone from gRPC too when their call is."""

from __future__ import annotations

import asyncio
import contextlib

import grpc
import pytest

from langserver.limits import Ceilings
from langserver.pb import lang_pb2
from langserver.server import methods
from langserver.server import service as service_module
from langserver.server.endpoint import add_services, keys_of, make_server
from langserver.server.health import Health
from langserver.server.methods import services
from langserver.server.outbox import Outbox
from langserver.server.service import LanguageService
from langserver.settings import Settings
from tests.integration.server.harness import request
from tests.integration.server.raw_caller import RawCaller, message
from tests.integration.server.test_tasks import Bench, settle

PATH = b"/lang.v1.LanguageServer/"


class Dropped:
    def __init__(self):
        self.names = []

    def by(self, name):
        return lambda: self.names.append(name)


def test_over_the_bound_the_oldest_goes():
    """Of one caller's."""
    outbox, dropped = Outbox(100), Dropped()
    outbox.owe("one", "a", 40, dropped.by("a"))
    outbox.owe("one", "b", 40, dropped.by("b"))
    assert (outbox.owed_bytes, dropped.names) == (80, [])
    outbox.owe("one", "c", 40, dropped.by("c"))
    assert (outbox.owed_bytes, dropped.names) == (80, ["a"])
    outbox.settle("one", "a")  # when its handler ends
    outbox.settle("one", "b")
    assert outbox.owed_bytes == 40
    outbox.owe("one", "d", 400, dropped.by("d"))
    assert (outbox.owed_bytes, dropped.names) == (400, ["a", "c"])  # alone it may be large
    outbox.owe("one", "d", 100, dropped.by("d"))
    outbox.owe("one", "e", 10, dropped.by("e"))
    assert (outbox.owed_bytes, dropped.names) == (10, ["a", "c", "d"])


def test_over_the_bound_whoever_has_most_gives_way():
    outbox, dropped = Outbox(100), Dropped()
    outbox.owe("slow reader", "s", 40, dropped.by("s"))
    for number in range(50):
        outbox.owe("flood", number, 30, dropped.by(number))
    assert dropped.names == list(range(48))
    assert outbox.owed_bytes == 100
    outbox.owe("slow reader", "t", 40, dropped.by("t"))  # now he has more than anybody
    assert (dropped.names[48:], outbox.owed_bytes) == (["s"], 100)
    outbox.owe("third", "u", 70, dropped.by("u"))  # by whom all others would have to go
    assert (dropped.names[49:], outbox.owed_bytes) == (["u"], 100)
    for number in range(50):
        outbox.settle("flood", number)
    outbox.settle("slow reader", "t")
    outbox.settle("nobody", "s")
    assert (outbox.owed_bytes, outbox._owed, outbox._bytes_of) == (0, {}, {})


@contextlib.asynccontextmanager
async def serving(outbox):
    """A server whose capabilities are long, and whose tasks end when the bench says so."""
    bench = Bench()
    facts = lang_pb2.Capabilities(version="x" * 300_000)
    service = LanguageService(bench.tasks, Ceilings(), lambda: facts)
    server = make_server(Settings(), keys_of(Settings()))
    add_services(server, services(service, Health(["js"]), outbox), reflection=False)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}", bench
    finally:
        await server.stop(None)
        asyncio.get_running_loop().set_task_factory(None)


def tasks_of_calls():
    return [task for task in asyncio.all_tasks() if task.get_name() == "rpc_task" or "HandleExc" in task.get_name()]


@pytest.mark.parametrize("method", [b"GetCapabilities", b"Execute", b"ExecuteStream"])
async def test_in_time_the_stream_is_reset(method, monkeypatch):
    monkeypatch.setattr(methods, "DELIVERY_SECONDS", 0)
    monkeypatch.setattr(service_module, "DELIVERY_SECONDS", 0)
    outbox = Outbox(1 << 30)
    async with serving(outbox) as (address, bench):
        with RawCaller(address, window=0) as caller:
            body = b"" if method == b"GetCapabilities" else request("1", runtime="js").SerializeToString()
            stream = await asyncio.to_thread(caller.call, message(body), path=PATH + method)
            if body:
                bench.supply.allowed.set()
                await bench.supply.asked.wait()
                bench.child.seal_and_start()
                bench.child.report()
                await settle()
                await bench.ended()
            # The library holds the latest call until another comes.
            latest = await asyncio.to_thread(caller.call, message(b""), path=b"/other/Method")
            await asyncio.to_thread(caller.wait_for_end_of, {stream, latest})
            await settle()
            assert (outbox.owed_bytes, tasks_of_calls()) == (0, [])


async def test_over_the_bound_the_stream_of_the_oldest_is_reset():
    outbox = Outbox(1_500_000)  # two answers and a half: gRPC's copy counts
    async with serving(outbox) as (address, _):
        with RawCaller(address, window=0) as caller:
            streams = [
                await asyncio.to_thread(caller.call, message(b""), path=PATH + b"GetCapabilities") for _ in range(5)
            ]
            await asyncio.to_thread(caller.wait_for_end_of, set(streams[:3]))
            assert caller.ended.keys() == set(streams[:3])
            await settle()
            assert len(tasks_of_calls()) == 4
            assert outbox.owed_bytes < 1_500_000
            async with grpc.aio.insecure_channel(address) as channel:  # who reads is served
                call = channel.unary_unary("/lang.v1.LanguageServer/GetCapabilities")
                assert len(await call(b"")) > 300_000
        await settle()
    assert outbox.owed_bytes == 0


async def test_a_flood_of_unread_answers_takes_none_from_who_reads_slowly():
    outbox = Outbox(1_500_000)  # two answers and a half
    async with serving(outbox) as (address, _):
        with RawCaller(address, window=0) as slow, RawCaller(address, window=0) as flood:
            answer = await asyncio.to_thread(slow.call, message(b""), path=PATH + b"GetCapabilities")
            await settle()
            streams = [
                await asyncio.to_thread(flood.call, message(b""), path=PATH + b"GetCapabilities") for _ in range(6)
            ]
            await asyncio.to_thread(flood.wait_for_end_of, set(streams[:4]))
            await settle()
            slow.let_through(answer, 1 << 20)
            await asyncio.to_thread(slow.wait_for_end_of, {answer})
            assert slow.received_of[answer] > 300_000

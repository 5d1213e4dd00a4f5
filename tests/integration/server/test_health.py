"""The health entries follow the pools, until the drain; nobody waits for who asks."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from grpc_health.v1 import health_pb2

from langserver.server import health as health_module
from langserver.server.health import Health
from langserver.server.statuses import NotFound, TooMany, Unread
from tests.integration.server.harness import NOT_SERVING, SERVING, running_server, wait_for
from tests.integration.server.raw_caller import RawCaller, message

UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
WATCH = b"/grpc.health.v1.Health/Watch"


def request(service=""):
    return health_pb2.HealthCheckRequest(service=service)


def statuses(health, *names):
    return [health.status(name) for name in names]


class Watcher:
    """A caller who takes what is written, or does not while `reads` is clear."""

    def __init__(self):
        self.told = []
        self.reads = asyncio.Event()
        self.reads.set()

    async def write(self, answer):
        self.told.append(answer.status)
        await self.reads.wait()


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


def test_entries_follow_the_pools():
    health = Health(["python", "js"])
    python, js = health.listener("python"), health.listener("js")
    assert statuses(health, "", "python", "js") == [NOT_SERVING] * 3
    python(True)
    assert statuses(health, "", "python", "js") == [SERVING, SERVING, NOT_SERVING]
    js(True)
    assert statuses(health, "", "python", "js") == [SERVING] * 3
    python(False)
    assert statuses(health, "", "python", "js") == [SERVING, NOT_SERVING, SERVING]
    js(False)
    assert statuses(health, "", "python", "js") == [NOT_SERVING] * 3


def test_nothing_serves_after_the_drain():
    health = Health(["python"])
    tell = health.listener("python")
    tell(True)
    health.drain()
    tell(True)
    assert statuses(health, "", "python") == [NOT_SERVING, NOT_SERVING]


async def test_check():
    health, caller = Health(["python"]), Watcher()
    health.listener("python")(True)
    await health.check(request("python"), caller)
    assert caller.told == [SERVING]
    with pytest.raises(NotFound):
        await health.check(request("ruby"), caller)


async def test_a_watcher_is_told_what_changes_and_the_others_do_not_wait_for_one():
    health, reader, sleeper, stranger = Health(["python"]), Watcher(), Watcher(), Watcher()
    tell = health.listener("python")
    sleeper.reads.clear()
    calls = [
        asyncio.create_task(health.watch(request(name), caller))
        for name, caller in (("python", reader), ("python", sleeper), ("ruby", stranger))
    ]
    await settle()
    for serving in (True, False, True, True):
        tell(serving)
        await settle()
    assert reader.told == [NOT_SERVING, SERVING, NOT_SERVING, SERVING]
    assert stranger.told == [UNKNOWN]
    assert sleeper.told == [NOT_SERVING]
    sleeper.reads.set()
    await settle()
    assert sleeper.told == [NOT_SERVING, SERVING]  # as it is now
    health.drain()
    await settle()
    assert reader.told[-1] == sleeper.told[-1] == NOT_SERVING
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)


async def test_a_watcher_who_does_not_read_is_ended(monkeypatch):
    monkeypatch.setattr(health_module, "_READ_SECONDS", 0)
    health, sleeper = Health(["python"]), Watcher()
    sleeper.reads.clear()
    with pytest.raises(Unread):
        await health.watch(request(), sleeper)


async def test_watchers_are_so_many_and_no_more(monkeypatch):
    monkeypatch.setattr(health_module, "_MOST_WATCHERS", 2)
    health = Health(["python"])
    calls = [asyncio.create_task(health.watch(request(), Watcher())) for _ in range(2)]
    await settle()
    with pytest.raises(TooMany):
        await health.watch(request(), Watcher())
    calls[0].cancel()
    await asyncio.wait(calls[:1])
    calls.append(asyncio.create_task(health.watch(request(), late := Watcher())))
    await settle()
    assert late.told == [NOT_SERVING]
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)


def test_the_drain_waits_for_no_watcher():
    with running_server(LANG_DRAIN_SECONDS="3600") as server, server.connect() as client:
        with RawCaller(server.address, window=0) as caller:
            for name in (b"", b"\x0a\x06python", b"\x0a\x04ruby"):
                caller.call(message(name), path=WATCH)
            running = client.start_endless()
            watch = client.health_stub.Watch(request())
            assert next(watch).status == SERVING
            server.signal()
            assert next(watch).status == NOT_SERVING
            wait_for(lambda: client.health() == NOT_SERVING)
            server.signal()
            with pytest.raises(grpc.RpcError):
                list(running)
            status, _, errors = server.wait()
        assert status == 0, errors
        assert "Traceback" not in errors

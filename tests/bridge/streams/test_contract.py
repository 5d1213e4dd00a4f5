"""One contract of streams, kept by Redis and by the streams in this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Protocol

import pytest
from redis.asyncio import Redis

from tests.bridge.redis_server import RedisServer
from tests.coordinator.servers import link_to
from worker_bridge.core.queues import ASIDE
from worker_bridge.streams.memory import MemoryStreams
from worker_bridge.streams.port import Entry, StreamPort
from worker_bridge.streams.redis import RedisConsumer

STREAM = "tasks:python:0"


class Streams(Protocol):
    """Both kinds, as the contract drives them."""

    def consumer(self, name: str) -> StreamPort: ...
    async def add(self, stream: str, **fields: str) -> str: ...
    async def ids(self, stream: str) -> list[str]: ...
    async def fields(self, stream: str) -> list[dict[bytes, bytes]]: ...
    async def delete(self, stream: str, entry_id: str) -> None: ...


class InRedis:
    def __init__(self, redis: Redis, port: int) -> None:
        self.redis, self.port = redis, port
        self.made: list[RedisConsumer] = []

    def consumer(self, name: str) -> StreamPort:
        self.made.append(RedisConsumer(link_to(self.port), name, "tasks"))
        return self.made[-1]

    async def add(self, stream: str, **fields: str) -> str:
        return (await self.redis.xadd(stream, fields)).decode()

    async def ids(self, stream: str) -> list[str]:
        return [number.decode() for number, _ in await self.redis.xrange(stream)]

    async def fields(self, stream: str) -> list[dict[bytes, bytes]]:
        return [fields for _, fields in await self.redis.xrange(stream)]

    async def delete(self, stream: str, entry_id: str) -> None:
        await self.redis.xdel(stream, entry_id)


class InMemory:
    def __init__(self) -> None:
        self.all = MemoryStreams()

    def consumer(self, name: str) -> StreamPort:
        return self.all.consumer(name)

    async def add(self, stream: str, **fields: str) -> str:
        return await self.all.add(stream, fields)

    async def ids(self, stream: str) -> list[str]:
        return [entry.id for entry in self.all.entries(stream)]

    async def fields(self, stream: str) -> list[dict[bytes, bytes]]:
        return [dict(entry.fields) for entry in self.all.entries(stream)]

    async def delete(self, stream: str, entry_id: str) -> None:
        await self.all.remove(stream, [entry_id])


@pytest.fixture(params=["redis", "memory"])
async def streams(request: pytest.FixtureRequest) -> AsyncIterator[Streams]:
    if request.param == "memory":
        yield InMemory()
        return
    server: RedisServer = request.getfixturevalue("redis_server")
    redis = Redis(port=server.port)
    await redis.flushall()
    kept = InRedis(redis, server.port)
    yield kept
    for consumer in kept.made:
        await consumer.close()
    await redis.aclose()


def ids(entries: list[Entry]) -> list[str]:
    return [entry.id for entry in entries]


async def test_entries_are_delivered_once_in_order_and_no_more_than_asked_for(streams: Streams) -> None:
    one, other = streams.consumer("one"), streams.consumer("other")
    added = [await streams.add(STREAM, n=str(n)) for n in range(5)]
    first = await one.read(STREAM, 2)
    assert ids(first) == added[:2]
    assert [entry.fields for entry in first] == [{b"n": b"0"}, {b"n": b"1"}]
    assert [entry.deliveries for entry in first] == [1, 1]
    assert ids(await other.read(STREAM, 9)) == added[2:]
    assert await one.read(STREAM, 9) == []
    assert ids(await one.mine(STREAM)) == added[:2]


async def test_what_was_added_before_anybody_read_is_delivered(streams: Streams) -> None:
    added = await streams.add(STREAM, n="0")
    assert ids(await streams.consumer("one").read(STREAM, 1)) == [added]


async def test_waiting_takes_nothing_and_ends_with_an_entry(streams: Streams) -> None:
    one = streams.consumer("one")
    assert await one.read(STREAM, 1) == []
    waiting = asyncio.create_task(one.wait(STREAM, 2))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    added = await streams.add(STREAM, n="0")
    started = time.monotonic()
    await waiting
    assert time.monotonic() - started < 1.5  # and not at the end of its two seconds
    assert await one.mine(STREAM) == []
    assert ids(await one.read(STREAM, 1)) == [added]


async def test_waiting_ends_at_once_where_something_can_be_read(streams: Streams) -> None:
    one = streams.consumer("one")
    await streams.add(STREAM, n="0")
    await streams.add(STREAM, n="1")
    await one.read(STREAM, 1)
    async with asyncio.timeout(1.5):
        await one.wait(STREAM, 2)


async def test_waiting_ends_in_time(streams: Streams) -> None:
    one = streams.consumer("one")
    await streams.add(STREAM, n="0")
    await one.read(STREAM, 1)
    await one.wait(STREAM, 0.05)


async def test_only_what_is_idle_is_claimed_and_that_counts(streams: Streams) -> None:
    one, other = streams.consumer("one"), streams.consumer("other")
    added = await streams.add(STREAM, n="0")
    await one.read(STREAM, 1)
    assert (await other.claim(STREAM, 60, 9, "")).entries == []
    found = await other.claim(STREAM, 0, 9, "")
    ((claimed,), cursor) = found.entries, found.cursor
    assert (claimed.id, claimed.deliveries, claimed.fields, cursor) == (added, 2, {b"n": b"0"}, "")
    assert await one.mine(STREAM) == []
    assert ids(await other.mine(STREAM)) == [added]


async def test_claims_are_no_more_than_asked_for_and_go_on_where_they_ended(streams: Streams) -> None:
    one, other = streams.consumer("one"), streams.consumer("other")
    added = [await streams.add(STREAM, n=str(n)) for n in range(5)]
    await one.read(STREAM, 5)
    found, cursor = [], ""
    while True:
        claimed = await other.claim(STREAM, 0, 2, cursor)
        assert len(claimed.entries) <= 2
        found += ids(claimed.entries)
        cursor = claimed.cursor
        if not cursor:
            break
    assert found == added


async def test_a_touch_takes_back_and_does_not_count(streams: Streams) -> None:
    one, other = streams.consumer("one"), streams.consumer("other")
    added = await streams.add(STREAM, n="0")
    await one.read(STREAM, 1)
    await other.claim(STREAM, 0, 1, "")
    await one.touch(STREAM, added)
    assert ids(await one.mine(STREAM)) == [added]
    assert (await other.claim(STREAM, 60, 1, "")).entries == []
    assert [entry.deliveries for entry in (await other.claim(STREAM, 0, 1, "")).entries] == [3]


async def test_a_touch_of_what_was_acked_brings_nothing_back(streams: Streams) -> None:
    one = streams.consumer("one")
    added = await streams.add(STREAM, n="0")
    await one.read(STREAM, 1)
    await one.ack(STREAM, added)
    await one.touch(STREAM, added)
    assert await one.mine(STREAM) == []


async def test_what_is_given_back_is_idle_and_was_no_delivery(streams: Streams) -> None:
    one, other = streams.consumer("one"), streams.consumer("other")
    added = await streams.add(STREAM, n="0")
    await one.read(STREAM, 1)
    for consumer, next_one in ((one, other), (other, other), (other, one)):
        (held,) = await consumer.mine(STREAM)
        assert (held.id, held.deliveries) == (added, 1)
        await consumer.give_back(held, 60)
        (entry,) = (await next_one.claim(STREAM, 60, 1, "")).entries
        assert (entry.id, entry.deliveries) == (added, 1)


async def test_what_is_set_aside_is_in_nobodys_hand_until_it_is_idle_and_was_no_delivery(streams: Streams) -> None:
    one, other = streams.consumer("one"), streams.consumer("other")
    added = await streams.add(STREAM, n="0")
    (entry,) = await one.read(STREAM, 1)
    await one.set_aside(entry)
    assert await one.mine(STREAM) == []
    assert ids(await streams.consumer(ASIDE).mine(STREAM)) == [added]
    assert (await other.claim(STREAM, 60, 1, "")).entries == []
    for _ in range(3):
        (entry,) = (await other.claim(STREAM, 0, 1, "")).entries
        assert (entry.id, entry.deliveries) == (added, 1)
        await other.set_aside(entry)


async def test_an_ack_removes_whoever_has_it(streams: Streams) -> None:
    one, other = streams.consumer("one"), streams.consumer("other")
    added = await streams.add(STREAM, n="0")
    await one.read(STREAM, 1)
    await other.claim(STREAM, 0, 1, "")
    await one.ack(STREAM, added)
    await one.ack(STREAM, added)
    assert await streams.ids(STREAM) == []
    assert await other.mine(STREAM) == []


async def test_ack_if_mine_leaves_what_another_has(streams: Streams) -> None:
    one, other = streams.consumer("one"), streams.consumer("other")
    added = await streams.add(STREAM, n="0")
    await one.read(STREAM, 1)
    await other.claim(STREAM, 0, 1, "")
    assert not await one.ack_if_mine(STREAM, added)
    assert ids(await other.mine(STREAM)) == [added]
    assert await streams.ids(STREAM) == [added]
    assert await other.ack_if_mine(STREAM, added)
    assert not await other.ack_if_mine(STREAM, added)
    assert await streams.ids(STREAM) == []


async def test_a_parked_entry_has_its_fields_origin_and_reason(streams: Streams) -> None:
    one = streams.consumer("one")
    added = await streams.add(STREAM, n="0", origin="forged", reason="forged")
    (entry,) = await one.read(STREAM, 1)
    await one.park(entry, "because")
    assert await streams.ids(STREAM) == []
    assert await one.mine(STREAM) == []
    assert await streams.fields(f"{STREAM}:dead") == [
        {b"n": b"0", b"origin": f"{STREAM} {added}".encode(), b"reason": b"because", b"deliveries": b"1"}
    ]


async def test_a_parked_entry_over_the_caps_leaves_its_fields(streams: Streams) -> None:
    one = streams.consumer("one")
    await streams.add(STREAM, **{f"n{n}": "" for n in range(40)})
    (entry,) = await one.read(STREAM, 1)
    await one.park(entry, "40 fields")
    (parked,) = await streams.fields(f"{STREAM}:dead")
    assert set(parked) == {b"origin", b"reason", b"deliveries"}


async def test_an_entry_that_was_deleted_is_no_delivery(streams: Streams) -> None:
    one, other = streams.consumer("one"), streams.consumer("other")
    added = await streams.add(STREAM, n="0")
    await one.read(STREAM, 1)
    await streams.delete(STREAM, added)
    assert (await other.claim(STREAM, 0, 9, "")).entries == []
    assert await one.mine(STREAM) == []


async def test_a_name_is_registered_once_until_it_expires(streams: Streams) -> None:
    one, same = streams.consumer("one"), streams.consumer("one")
    assert await one.register("a", 0.3)
    assert not await same.register("b", 0.3)
    assert await one.register("a", 0.3)
    await asyncio.sleep(0.4)
    assert await same.register("b", 60)
    assert not await one.register("a", 60)
    await one.unregister("a")  # not its own any more
    assert not await one.register("a", 60)
    await same.unregister("b")
    assert await one.register("a", 60)


async def test_only_idle_consumers_without_entries_and_registration_are_removed(streams: Streams) -> None:
    idle, busy, known, fresh = (streams.consumer(name) for name in ("idle", "busy", "known", "fresh"))
    added = await streams.add(STREAM, n="0")
    await busy.read(STREAM, 1)
    # A consumer is known once it got something.
    await idle.claim(STREAM, 0, 1, "")
    await known.claim(STREAM, 0, 1, "")
    await busy.touch(STREAM, added)
    await known.register("k", 60)
    await asyncio.sleep(0.1)
    assert await fresh.remove_idle_consumers(STREAM, 60) == []
    assert await fresh.remove_idle_consumers(STREAM, 0.05) == ["idle"]
    assert ids(await busy.mine(STREAM)) == [added]


async def test_figures(streams: Streams) -> None:
    one, other = streams.consumer("one"), streams.consumer("other")
    before = await one.figures(STREAM)
    assert (before.depth, before.lag, before.pending, before.dead, before.listeners) == (0, 0, 0, 0, ())
    for n in range(5):
        await streams.add(STREAM, n=str(n))
    assert (await one.figures(STREAM)).lag == 5
    read = await one.read(STREAM, 3)
    await one.register("a", 60)
    await other.claim(STREAM, 0, 1, "")
    await one.ack(STREAM, read[1].id)
    await one.park(read[2], "because")
    figures = await one.figures(STREAM)
    assert (figures.stream, figures.depth, figures.lag, figures.pending, figures.dead) == (STREAM, 3, 2, 1, 1)
    assert [(listener.name, listener.pending) for listener in figures.listeners] == [("one", 0)]


async def test_who_waits_is_a_listener_before_the_first_entry(streams: Streams) -> None:
    one, other = streams.consumer("one"), streams.consumer("other")
    for consumer in (one, other):
        await consumer.register(f"nonce of {consumer}", 60)
        for _ in range(2):  # the first one may only make the group
            await consumer.read(STREAM, 1)
            await consumer.wait(STREAM, 0.01)
    assert [listener.name for listener in (await one.figures(STREAM)).listeners] == ["one", "other"]


async def test_commands_on_what_is_not_there_change_nothing(streams: Streams) -> None:
    one = streams.consumer("one")
    await one.touch(STREAM, "1-1")
    await one.give_back(Entry(STREAM, "1-1", {}), 1)
    await one.set_aside(Entry(STREAM, "1-1", {}))
    await one.ack(STREAM, "1-1")
    assert not await one.ack_if_mine(STREAM, "1-1")
    assert await one.mine(STREAM) == []
    assert (await one.claim(STREAM, 0, 1, "")).entries == []
    assert await one.remove_idle_consumers(STREAM, 60) == []
    assert await one.read(STREAM, 1) == []

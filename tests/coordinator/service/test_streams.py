"""What the coordinator needs of streams: Redis's, and those of `langserver dev`, keep the same promises."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import pytest

from coordinator.errors import StreamRefused, StreamUnavailable
from coordinator.streams.port import StreamPort
from coordinator.streams.redis import RedisStreams
from tests.coordinator.servers import RedisServer, free_port, link_to
from worker_bridge.streams.memory import MemoryStreams


@pytest.fixture(params=["redis", "memory"])
async def streams(request: pytest.FixtureRequest) -> AsyncIterator[StreamPort]:
    if request.param == "memory":
        yield MemoryStreams()
        return
    server: RedisServer = request.getfixturevalue("redis_server")
    opened = RedisStreams(link_to(server.port))
    yield opened
    await opened.close()


@pytest.fixture
def name() -> str:
    return f"test-{uuid.uuid4().hex}"


async def test_entries_are_there_in_their_order_until_they_are_removed(streams, name):
    ids = [await streams.add(name, {"n": str(number), "text": "\N{SNOWMAN}"}) for number in range(5)]

    assert await streams.oldest(name, 9) == [(ids[n], {"n": str(n), "text": "\N{SNOWMAN}"}) for n in range(5)]
    assert [entry_id for entry_id, _ in await streams.oldest(name, 2)] == ids[:2]
    assert [entry_id for entry_id, _ in await streams.oldest(name, 2, ids[1])] == ids[2:4]
    assert await streams.oldest(name, 2, ids[4]) == []
    await streams.remove(name, ids[1:3])
    await streams.remove(name, ids[2:3])
    await streams.remove(name, [])
    assert [entry_id for entry_id, _ in await streams.oldest(name, 9)] == [ids[0], *ids[3:]]
    assert [await streams.exists(name, entry_id) for entry_id in ids] == [True, False, False, True, True]


async def test_a_stream_that_is_not_there_is_empty(streams, name):
    assert await streams.oldest(name, 9) == []
    assert not await streams.exists(name, "1-1")
    await streams.remove(name, ["1-1"])


async def test_redis_that_is_away_says_so_at_once(name):
    streams = RedisStreams(link_to(free_port()))

    with pytest.raises(StreamUnavailable, match="Redis at "):
        await streams.add(name, {"a": "b"})
    await streams.close()


async def test_a_key_of_another_kind_is_refused(redis_server, name):
    import redis

    with redis.Redis(port=redis_server.port) as connection:
        connection.set(name, "x")
    streams = RedisStreams(link_to(redis_server.port))

    for asked in (streams.add(name, {"a": "b"}), streams.exists(name, "1-1"), streams.oldest(name, 1)):
        with pytest.raises(StreamRefused):
            await asked
    await streams.close()


async def test_a_stream_without_further_ids_is_refused(redis_server, name):
    import redis

    with redis.Redis(port=redis_server.port) as connection:
        connection.xadd(name, {"a": "b"}, id=f"{(1 << 64) - 1}-{(1 << 64) - 1}")
    streams = RedisStreams(link_to(redis_server.port))

    with pytest.raises(StreamRefused, match="exhausted"):
        await streams.add(name, {"a": "b"})
    await streams.close()


async def test_an_entry_is_there_while_a_worker_can_get_it_or_has_it(redis_server, name):
    import redis

    streams = RedisStreams(link_to(redis_server.port))
    ids = [await streams.add(name, {"n": str(number)}) for number in range(4)]

    async def there() -> list[bool]:
        return [await streams.exists(name, entry_id) for entry_id in ids]

    assert await there() == [True] * 4
    with redis.Redis(port=redis_server.port) as connection:
        connection.xgroup_create(name, "others", id="$")
        assert await there() == [True] * 4
        connection.xgroup_create(name, "workers", id="0")
        assert await there() == [True] * 4
        connection.xreadgroup("workers", "w1", {name: ">"}, count=1)
        connection.xreadgroup("workers", "w2", {name: ">"}, count=2)
        assert await there() == [True] * 4
        connection.xack(name, "workers", ids[1])
        assert await there() == [True, False, True, True]
        connection.xgroup_delconsumer(name, "workers", "w1")
        assert await there() == [False, False, True, True]
        connection.xgroup_destroy(name, "workers")
        assert await there() == [True] * 4
    await streams.close()

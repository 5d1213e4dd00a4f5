"""What the coordinator needs of streams: Redis's, and those of `langserver dev`, keep the same promises."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import pytest

from coordinator.errors import StreamRefused, StreamUnavailable
from coordinator.streams.port import StreamPort
from coordinator.streams.redis import RedisStreams
from tests.coordinator.servers import RedisServer, free_port
from worker_bridge.streams.memory import MemoryStreams


@pytest.fixture(params=["redis", "memory"])
async def streams(request: pytest.FixtureRequest) -> AsyncIterator[StreamPort]:
    if request.param == "memory":
        yield MemoryStreams()
        return
    server: RedisServer = request.getfixturevalue("redis_server")
    opened = RedisStreams("127.0.0.1", server.port)
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
    streams = RedisStreams("127.0.0.1", free_port())

    with pytest.raises(StreamUnavailable, match="Redis at "):
        await streams.add(name, {"a": "b"})
    await streams.close()


async def test_a_key_of_another_kind_is_refused(redis_server, name):
    import redis

    with redis.Redis(port=redis_server.port) as connection:
        connection.set(name, "x")
    streams = RedisStreams("127.0.0.1", redis_server.port)

    for asked in (streams.add(name, {"a": "b"}), streams.exists(name, "1-1"), streams.oldest(name, 1)):
        with pytest.raises(StreamRefused):
            await asked
    await streams.close()

"""What is Redis's alone: groups that go, answers that are lost, servers that cannot serve."""

from __future__ import annotations

import pytest
from redis.asyncio import Redis

from tests.bridge.redis_server import RedisServer
from worker_bridge.errors import StartError, Unreachable
from worker_bridge.streams.connection import LONGEST_WAIT_SECONDS, SOCKET_SECONDS
from worker_bridge.streams.memory import MemoryStreams
from worker_bridge.streams.redis import RedisConsumer

STREAM = "tasks:python:0"


async def test_a_group_that_was_destroyed_is_made_again_at_the_first_entry(
    redis: Redis, consumer: RedisConsumer
) -> None:
    added = [await redis.xadd(STREAM, {"n": "0"}), await redis.xadd(STREAM, {"n": "1"})]
    await consumer.read(STREAM, 1)
    await redis.xgroup_destroy(STREAM, "workers")
    assert [entry.id.encode() for entry in await consumer.read(STREAM, 9)] == added


async def test_a_stream_that_was_deleted_is_made_again(redis: Redis, consumer: RedisConsumer) -> None:
    await redis.xadd(STREAM, {"n": "0"})
    await consumer.read(STREAM, 1)
    await redis.delete(STREAM)
    await consumer.wait(STREAM, 0.1)
    assert await redis.exists(STREAM)
    assert await consumer.read(STREAM, 1) == []


async def test_nothing_is_sent_twice_and_a_wait_is_shorter_than_the_sockets(
    redis_server: RedisServer, redis: Redis, consumer: RedisConsumer
) -> None:
    assert LONGEST_WAIT_SECONDS < SOCKET_SECONDS
    assert consumer._redis.connection_pool.connection_kwargs["retry"].get_retries() == 0
    assert consumer._waiting.connection_pool.connection_kwargs["retry"].get_retries() == 0


async def test_a_redis_that_is_away_is_unreachable_and_found_again(
    redis_server: RedisServer, redis: Redis, consumer: RedisConsumer
) -> None:
    await redis.xadd(STREAM, {"n": "0"})
    assert len(await consumer.read(STREAM, 1)) == 1
    redis_server.kill()
    for call in (
        consumer.check(),
        consumer.read(STREAM, 1),
        consumer.wait(STREAM, 1),
        consumer.claim(STREAM, 0, 1, ""),
        consumer.ack(STREAM, "1-1"),
        consumer.register("n", 1),
        consumer.figures(STREAM),
    ):
        with pytest.raises(Unreachable):
            await call
    redis_server.start()
    assert len(await consumer.mine(STREAM)) == 1  # the append-only file has it


async def test_what_redis_refuses_is_tried_again_later(redis: Redis, consumer: RedisConsumer) -> None:
    await redis.set(STREAM, "no stream")
    with pytest.raises(Unreachable, match="WRONGTYPE"):
        await consumer.read(STREAM, 1)


@pytest.mark.parametrize(
    ("info", "words"),
    [
        ({"redis_mode": "cluster", "redis_version": "7.0.15"}, "Cluster"),
        ({"redis_mode": "standalone", "redis_version": "6.2.14"}, "6.2.14"),
    ],
)
async def test_a_redis_that_cannot_serve_is_refused(
    consumer: RedisConsumer, monkeypatch: pytest.MonkeyPatch, info: dict[str, str], words: str
) -> None:
    async def answer(section: str) -> dict[str, str]:
        return info

    monkeypatch.setattr(consumer._redis, "info", answer)
    with pytest.raises(StartError, match=words):
        await consumer.check()


async def test_this_redis_can_serve(consumer: RedisConsumer) -> None:
    await consumer.check()


async def test_streams_in_this_process_serve_an_outbox_too() -> None:
    streams = MemoryStreams()
    first, second = await streams.add(STREAM, {"n": "0"}), await streams.add(STREAM, {"n": "ü"})
    assert await streams.exists(STREAM, first)
    assert await streams.oldest(STREAM, 9) == [(first, {"n": "0"}), (second, {"n": "ü"})]
    await streams.remove(STREAM, [first, first])
    assert not await streams.exists(STREAM, first)
    assert [entry.id for entry in await streams.consumer("one").read(STREAM, 9)] == [second]

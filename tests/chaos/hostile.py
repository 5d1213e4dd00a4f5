"""Somebody with every right to Redis, who is at it while tasks run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random

from redis.asyncio import Redis
from redis.exceptions import ResponseError

STREAM = "tasks:python:0"
DEAD = f"{STREAM}:dead"
GROUP = "workers"
_PAUSE_SECONDS = 0.1


class Hostile:
    """Does each of its acts `times` times, in the order of chance."""

    def __init__(self, redis: Redis, consumers: list[str], seed: int) -> None:
        self._redis = redis
        self._random = Random(seed)
        self._consumers = [*consumers, "evil"]
        self.done: set[str] = set()

    async def run(self, times: int) -> None:
        """What Redis refuses is tried in vain."""
        acts: list[Callable[[], Awaitable[object]]] = [
            *(self.trims, self.deletes_the_stream, self.deletes_the_group, self.takes_entries, self.acks, self.removes),
            *(self.removes_a_consumer, self.rewinds, self.skips, self.hides, self.replaces, self.blocks_the_dead),
            *(self.floods, self.forges),
        ]
        order = acts * times
        self._random.shuffle(order)
        for act in order:
            with suppress(ResponseError):
                await act()
                self.done.add(act.__name__)
            await asyncio.sleep(_PAUSE_SECONDS)

    async def strands(self) -> None:
        """The last act: takes the next entry of a task, and is removed: it stays in the stream, nobody's."""
        taken = None
        while not taken:
            with suppress(ResponseError):
                taken = await self._redis.xreadgroup(GROUP, "evil", {STREAM: ">"}, count=1, block=1000)
            await asyncio.sleep(0)
        await self._redis.xgroup_delconsumer(STREAM, GROUP, "evil")

    async def trims(self) -> None:
        await self._redis.xtrim(STREAM, maxlen=self._random.randrange(5))

    async def deletes_the_stream(self) -> None:
        await self._redis.delete(STREAM)

    async def deletes_the_group(self) -> None:
        await self._redis.xgroup_destroy(STREAM, GROUP)

    async def takes_entries(self) -> None:
        await self._redis.xreadgroup(GROUP, self._random.choice(self._consumers), {STREAM: ">"}, count=3)

    async def acks(self) -> None:
        for entry_id, _ in await self._redis.xrange(STREAM, count=3):
            await self._redis.xack(STREAM, GROUP, entry_id)

    async def removes(self) -> None:
        for entry_id, _ in await self._redis.xrange(STREAM, count=2):
            await self._redis.xdel(STREAM, entry_id)

    async def removes_a_consumer(self) -> None:
        await self._redis.xgroup_delconsumer(STREAM, GROUP, self._random.choice(self._consumers))

    async def rewinds(self) -> None:
        await self._redis.xgroup_setid(STREAM, GROUP, "0")

    async def skips(self) -> None:
        await self._redis.xgroup_setid(STREAM, GROUP, "$")

    async def hides(self) -> None:
        await self._redis.rename(STREAM, f"{STREAM}x")
        await asyncio.sleep(_PAUSE_SECONDS)
        await self._redis.rename(f"{STREAM}x", STREAM)

    async def replaces(self) -> None:
        await self._redis.delete(STREAM)
        await self._redis.set(STREAM, "no stream")
        await asyncio.sleep(2 * _PAUSE_SECONDS)
        await self._redis.delete(STREAM)

    async def blocks_the_dead(self) -> None:
        await self._redis.set(DEAD, "no stream")
        for _ in range(12):  # as many as both bridges have slots
            await self._redis.xadd(STREAM, {"poison": "1"})
        await asyncio.sleep(2 * _PAUSE_SECONDS)
        await self._redis.delete(DEAD)

    async def floods(self) -> None:
        await self._redis.xadd(STREAM, {"payload": "[" * 500_000})

    async def forges(self) -> None:
        """A copy of an entry, with code of his own."""
        for _, fields in await self._redis.xrange(STREAM, count=2):
            if "input" in fields:
                await self._redis.xadd(STREAM, {**fields, "input": '{"code": "return 666"}'})

"""Streams in Redis 7 or newer, not in a cluster. The only XACKs stand here and in the script beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from redis.exceptions import ResponseError

from operating.redis.link import Link
from worker_bridge.core.queues import ASIDE, GROUP, dead_stream
from worker_bridge.errors import StartError
from worker_bridge.link_state import LinkState
from worker_bridge.streams.connection import LONGEST_WAIT_SECONDS, Reach, connect, name_of
from worker_bridge.streams.parked import parked_fields
from worker_bridge.streams.port import Claimed, Entry, Figures, Listener
from worker_bridge.streams.scripts import ACK_IF_MINE, PARK, REGISTER, REMOVE_IDLE, UNREGISTER

_THROUGH: Final = "0-0"
_OLDEST_MAJOR: Final = 7


class RedisConsumer:
    """A StreamPort for one consumer."""

    def __init__(self, link: Link, consumer: str, prefix: str, alarm: Callable[[str], None] | None = None) -> None:
        """`alarm` is told what an operator has to mend; without it nothing is in the log, the errors alone tell."""
        self._name = consumer
        self.state = None if alarm is None else LinkState(name_of(link), __name__, alarm)
        self._reaching = Reach(link, self.state)
        self._registrations = f"{prefix}:worker:"
        self._redis = connect(link, consumer)
        # Waiting occupies connections for seconds: these are others than those that renew, touch and ack.
        self._waiting = connect(link, f"{consumer}:waiting")

    async def check(self) -> None:
        """See StreamPort."""
        with self._reaching():
            info = await self._redis.info("server")
        if info.get("redis_mode") == "cluster":
            raise StartError(
                "REDIS_ADDR is a Redis Cluster: a stream and its dead letters would lie on different nodes. "
                "Use a Redis that is not in cluster mode"
            )
        version = str(info.get("redis_version", "0"))
        if int(version.partition(".")[0]) < _OLDEST_MAJOR:
            raise StartError(f"REDIS_ADDR is Redis {version}: version {_OLDEST_MAJOR} is the oldest that is supported")

    async def register(self, nonce: str, seconds: float) -> bool:
        """See StreamPort."""
        with self._reaching():
            return bool(await self._script(REGISTER, self._registration, nonce, str(_milliseconds(seconds))))

    async def unregister(self, nonce: str) -> None:
        """See StreamPort."""
        with self._reaching():
            await self._script(UNREGISTER, self._registration, nonce)

    async def read(self, stream: str, count: int) -> list[Entry]:
        """See StreamPort."""
        with self._reaching():
            try:
                answer = await self._read(stream, count)
            except ResponseError as error:
                await self._make_group(stream, error)
                answer = await self._read(stream, count)
        # An entry that was deleted has no fields, and is no delivery.
        return [Entry(stream, number.decode(), fields) for _, rows in answer for number, fields in rows if fields]

    async def wait(self, stream: str, seconds: float) -> None:
        """See StreamPort. Looks for anything after what the group got last: to read it here would take it."""
        with self._reaching():
            try:
                groups = await self._redis.xinfo_groups(stream)
                last = next((group["last-delivered-id"] for group in groups if group["name"] == GROUP.encode()), None)
                if last is None:
                    raise ResponseError("NOGROUP")
            except ResponseError as error:
                await self._make_group(stream, error)
                return
            block = max(1, round(min(seconds, LONGEST_WAIT_SECONDS) * 1000))
            if not await self._waiting.xread({stream: last}, count=1, block=block):
                await self._listen(stream)

    async def claim(self, stream: str, idle_seconds: float, count: int, cursor: str) -> Claimed:
        """See StreamPort."""
        with self._reaching():
            try:
                following, rows, *_ = await self._redis.xautoclaim(
                    stream, GROUP, self._name, _milliseconds(idle_seconds), start_id=cursor or _THROUGH, count=count
                )
            except ResponseError as error:
                await self._make_group(stream, error)
                return Claimed([], "")
            entries = [
                Entry(stream, number.decode(), fields, await self._deliveries(stream, number))
                for number, fields in rows
                if fields
            ]
        after = following.decode()
        return Claimed(entries, "" if after == _THROUGH else after)

    async def touch(self, stream: str, entry_id: str) -> None:
        """See StreamPort."""
        await self._hold(stream, entry_id, self._name, idle=0)

    async def set_aside(self, entry: Entry) -> None:
        """See StreamPort."""
        await self._hold(entry.stream, entry.id, ASIDE, idle=0, deliveries=entry.deliveries - 1)

    async def give_back(self, entry: Entry, idle_seconds: float) -> None:
        """See StreamPort. Redis 7 has no command for it: it is claimed by its holder, as idle for long."""
        idle = _milliseconds(idle_seconds)
        await self._hold(entry.stream, entry.id, self._name, idle=idle, deliveries=entry.deliveries - 1)

    async def mine(self, stream: str) -> list[Entry]:
        """See StreamPort."""
        found: list[Entry] = []
        after = "-"
        with self._reaching():
            while True:
                try:
                    rows: list[Any] = await self._redis.xpending_range(stream, GROUP, after, "+", 100, self._name)
                except ResponseError as error:
                    await self._make_group(stream, error)
                    return []
                found += [Entry(stream, row["message_id"].decode(), {}, int(row["times_delivered"])) for row in rows]
                if len(rows) < 100:
                    return found
                after = f"({found[-1].id}"

    async def ack(self, stream: str, entry_id: str) -> None:
        """See StreamPort."""
        with self._reaching():
            async with self._redis.pipeline(transaction=True) as both:
                both.xack(stream, GROUP, entry_id)
                both.xdel(stream, entry_id)
                await both.execute()

    async def ack_if_mine(self, stream: str, entry_id: str) -> bool:
        """See StreamPort."""
        with self._reaching():
            try:
                return bool(await self._script(ACK_IF_MINE, stream, GROUP, self._name, entry_id))
            except ResponseError as error:
                await self._make_group(stream, error)
                return False

    async def park(self, entry: Entry, reason: str) -> None:
        """See StreamPort."""
        parked = [part for field in parked_fields(entry, reason).items() for part in field]
        dead = dead_stream(entry.stream)
        with self._reaching(f"{entry.stream} or {dead}"):
            await self._redis.eval(PARK, 2, entry.stream, dead, GROUP, entry.id, *parked)

    async def remove_idle_consumers(self, stream: str, idle_seconds: float) -> list[str]:
        """See StreamPort."""
        with self._reaching():
            try:
                names = await self._script(
                    REMOVE_IDLE, stream, GROUP, str(_milliseconds(idle_seconds)), self._registrations
                )
            except ResponseError as error:
                await self._make_group(stream, error)
                return []
        return [name.decode(errors="replace") for name in names]

    async def figures(self, stream: str) -> Figures:
        """See StreamPort. Makes no group: whoever only looks changes nothing."""
        with self._reaching(f"{dead_stream(stream)}"):
            dead = await self._redis.xlen(dead_stream(stream))
        with self._reaching(f"{stream}"):
            depth = await self._redis.xlen(stream)
            try:
                pending = int((await self._redis.xpending(stream, GROUP))["pending"])
                consumers = await self._redis.xinfo_consumers(stream, GROUP)
            except ResponseError as error:
                if not _has_no_group(error):
                    raise
                return Figures(stream, depth, depth, 0, dead, ())
            registered = [
                Listener(row["name"].decode(errors="replace"), int(row["pending"]))
                for row in consumers
                if await self._redis.exists(self._registrations.encode() + row["name"])
            ]
        # What is acked is deleted too, so that the rest was never delivered. Redis's own `lag` is unknown after XDEL.
        return Figures(stream, depth, max(0, depth - pending), pending, dead, tuple(registered))

    async def close(self) -> None:
        """See StreamPort."""
        await self._redis.aclose()
        await self._waiting.aclose()

    @property
    def _registration(self) -> str:
        return self._registrations + self._name

    async def _read(self, stream: str, count: int) -> Any:
        return await self._redis.xreadgroup(GROUP, self._name, {stream: ">"}, count=count)

    async def _hold(self, stream: str, entry_id: str, consumer: str, idle: int, deliveries: int | None = None) -> None:
        with self._reaching():
            try:
                await self._redis.xclaim(
                    stream, GROUP, consumer, 0, [entry_id], justid=True, idle=idle, retrycount=deliveries
                )
            except ResponseError as error:
                await self._make_group(stream, error)

    async def _deliveries(self, stream: str, number: bytes) -> int:
        rows = await self._redis.xpending_range(stream, GROUP, number.decode(), number.decode(), 1)
        return int(rows[0]["times_delivered"]) if rows else 1

    async def _listen(self, stream: str) -> None:
        """Shows this consumer before it gets its first entry, with which Redis would make it."""
        try:
            await self._redis.xgroup_createconsumer(stream, GROUP, self._name)
        except ResponseError as error:
            await self._make_group(stream, error)

    async def _make_group(self, stream: str, error: ResponseError) -> None:
        """From the first entry on, and again where the stream or the group is gone. Raises `error` if it says else."""
        if not _has_no_group(error):
            raise error
        try:
            await self._redis.xgroup_create(stream, GROUP, id="0", mkstream=True)
        except ResponseError as made:
            if not str(made).startswith("BUSYGROUP"):  # another bridge was faster
                raise

    async def _script(self, script: str, key: str, *arguments: str) -> Any:
        return await self._redis.eval(script, 1, key, *arguments)


def _has_no_group(error: ResponseError) -> bool:
    return "NOGROUP" in str(error) or "no such key" in str(error)


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)

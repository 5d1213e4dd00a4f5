"""Streams of a Redis server. It need not be up when the coordinator starts."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Final, TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from coordinator.core.queues import GROUP
from coordinator.errors import StreamRefused, StreamUnavailable
from coordinator.streams.port import Entry
from operating.redis.advice import of_command
from operating.redis.connection import LinkedConnection, NotConnected
from operating.redis.link import Link

_CONNECTIONS: Final = 16
_CONNECT_SECONDS: Final = 2.0
_ANSWER_SECONDS: Final = 5.0
# What Redis answers where a key holds something else, and where somebody used up a stream's ids: no other stream is
# any worse for it.
_STREAMS_OWN: Final = ("WRONGTYPE", "stream has exhausted the last possible ID")
# And where an ACL leaves this key out. That nothing can be added to it says so; that an entry cannot be looked for does
# not say that it is gone.
_NOT_TO_BE_ADDED_TO: Final = (*_STREAMS_OWN, "o permissions to access")

Answer = TypeVar("Answer")


class RedisStreams:
    """One pool of connections, made when they are needed."""

    def __init__(self, link: Link) -> None:
        pool = BlockingConnectionPool(
            connection_class=LinkedConnection,
            link=link,
            protocol=2,
            max_connections=_CONNECTIONS,
            timeout=_ANSWER_SECONDS,
            socket_connect_timeout=_CONNECT_SECONDS,
            socket_timeout=_ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 0),  # redis-py's own would write an entry twice after a lost reply
            client_name="coordinator",
            driver_info=None,
            encoding_errors="replace",
            decode_responses=True,
        )
        self._redis: Redis = Redis(connection_pool=pool)
        self._name = f"Redis at {link.host}:{link.port}"

    async def add(self, stream: str, fields: Mapping[str, str]) -> str:
        """Appends an entry; returns its id."""
        return str(await self._asked(self._redis.xadd(stream, dict(fields.items())), _NOT_TO_BE_ADDED_TO))

    async def exists(self, stream: str, entry_id: str) -> bool:
        """Whether the entry is still there for a worker to get, or in a worker's hand.

        One that was delivered and is pending no more (its consumer was removed, or somebody acked it) nobody gets.
        """
        there, pending, groups = await self._asked(self._looked_for(stream, entry_id))
        if not there:
            return False
        last = next((group["last-delivered-id"] for group in groups if group["name"] == GROUP), None)
        return bool(pending) or last is None or _number(last) < _number(entry_id)

    async def oldest(self, stream: str, most: int, after: str = "") -> list[Entry]:
        """The oldest entries of a stream, or the oldest after one; of a stream that is not there, none."""
        start = f"({after}" if after else "-"
        found: list[tuple[str, dict[str, str] | None]] = await self._asked(
            self._redis.xrange(stream, min=start, count=most)
        )
        return [(entry_id, fields or {}) for entry_id, fields in found]

    async def remove(self, stream: str, entry_ids: Sequence[str]) -> None:
        """Removes entries; those that are gone already are no error."""
        if entry_ids:
            await self._asked(self._redis.xdel(stream, *entry_ids))

    async def close(self) -> None:
        """Gives the connections back."""
        await self._redis.aclose(close_connection_pool=True)

    async def _looked_for(self, stream: str, entry_id: str) -> tuple[Any, Any, Any]:
        """The entry, its pending delivery, and the groups, at one moment."""
        async with self._redis.pipeline(transaction=True) as asked:
            asked.xrange(stream, entry_id, entry_id, count=1)
            asked.xpending_range(stream, GROUP, entry_id, entry_id, 1)
            asked.xinfo_groups(stream)
            there, pending, groups = await asked.execute(raise_on_error=False)
        if isinstance(there, Exception):
            raise there
        if isinstance(pending, Exception) or isinstance(groups, Exception):  # no group: nothing was delivered
            return there, [], []
        return there, pending, groups

    async def _asked(self, answer: Awaitable[Any], streams_own: Sequence[str] = _STREAMS_OWN) -> Any:
        try:
            return await answer
        except NotConnected as error:
            raise StreamUnavailable(f"{self._name}: {error}") from None
        except (TimeoutError, RedisError, OSError) as error:
            said = str(error) or type(error).__name__
            refused = isinstance(error, ResponseError) and any(words in said for words in streams_own)
            advised = of_command(said).after(f"{self._name}: {said}")
            raise (StreamRefused if refused else StreamUnavailable)(advised) from None


def _number(entry_id: str) -> tuple[int, ...]:
    return tuple(map(int, entry_id.split("-")))

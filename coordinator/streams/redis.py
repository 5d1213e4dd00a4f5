"""Streams of a Redis server. It need not be up when the coordinator starts."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Final, TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from coordinator.errors import StreamRefused, StreamUnavailable
from coordinator.streams.port import Entry

_CONNECTIONS: Final = 16
_CONNECT_SECONDS: Final = 2.0
_ANSWER_SECONDS: Final = 5.0

Answer = TypeVar("Answer")


class RedisStreams:
    """One pool of connections, made when they are needed."""

    def __init__(self, host: str, port: int) -> None:
        pool = BlockingConnectionPool(
            host=host,
            port=port,
            max_connections=_CONNECTIONS,
            timeout=_ANSWER_SECONDS,
            socket_connect_timeout=_CONNECT_SECONDS,
            socket_timeout=_ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 0),  # redis-py's own would write an entry twice after a lost reply
            client_name="coordinator",
            encoding_errors="replace",
            decode_responses=True,
        )
        self._redis: Redis = Redis(connection_pool=pool)
        self._name = f"Redis at {host}:{port}"

    async def add(self, stream: str, fields: Mapping[str, str]) -> str:
        """Appends an entry; returns its id."""
        return str(await self._asked(self._redis.xadd(stream, dict(fields.items()))))

    async def exists(self, stream: str, entry_id: str) -> bool:
        """Whether the entry is still there, read or not."""
        return bool(await self._asked(self._redis.xrange(stream, entry_id, entry_id, count=1)))

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

    async def _asked(self, answer: Awaitable[Any]) -> Any:
        try:
            return await answer
        except ResponseError as error:
            refused = str(error).startswith("WRONGTYPE")
            raise (StreamRefused if refused else StreamUnavailable)(f"{self._name}: {error}") from None
        except (TimeoutError, RedisError, OSError) as error:
            raise StreamUnavailable(f"{self._name}: {str(error) or type(error).__name__}") from None

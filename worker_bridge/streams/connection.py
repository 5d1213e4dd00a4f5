"""Connections to Redis. A command is sent once: what comes of a lost answer is for the caller to decide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from worker_bridge.errors import Unreachable

# Longer than a wait, or a quiet stream would look like a Redis that is gone.
SOCKET_SECONDS: Final = 5.0
LONGEST_WAIT_SECONDS: Final = 2.0


def connect(host: str, port: int, name: str) -> Redis:
    """A pool of connections, made when they are needed. redis-py's own retries would repeat what was done already."""
    return Redis(
        host=host,
        port=port,
        protocol=2,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=SOCKET_SECONDS,
        socket_connect_timeout=SOCKET_SECONDS,
        client_name=name,
        driver_info=None,
    )


@contextmanager
def reaching() -> Iterator[None]:
    """What Redis refuses is its state too (loading, out of memory, no permission): it is tried again later."""
    try:
        yield
    except (RedisError, OSError, TimeoutError) as error:
        raise Unreachable(f"Redis: {str(error) or type(error).__name__}") from error

"""Connections to Redis. A command is sent once: what comes of a lost answer is for the caller to decide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from operating.redis.advice import of_command
from operating.redis.connection import LinkedConnection, NotConnected
from operating.redis.link import Link
from worker_bridge.errors import StreamRefused, Unreachable

# Longer than a wait, or a quiet stream would look like a Redis that is gone.
SOCKET_SECONDS: Final = 5.0
LONGEST_WAIT_SECONDS: Final = 2.0


def connect(link: Link, name: str) -> Redis:
    """A pool of connections, made when they are needed. redis-py's own retries would repeat what was done already."""
    pool = ConnectionPool(
        connection_class=LinkedConnection,
        link=link,
        protocol=2,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=SOCKET_SECONDS,
        socket_connect_timeout=SOCKET_SECONDS,
        client_name=name,
        driver_info=None,
    )
    return Redis.from_pool(pool)


@contextmanager
def reaching(what: str = "Redis") -> Iterator[None]:
    """What Redis refuses is its state too (out of memory, no permission, no stream): it is tried again later."""
    try:
        yield
    except NotConnected as error:
        raise Unreachable(f"{what}: {error}", fault=error.sure) from error
    except ResponseError as error:
        advice = of_command(str(error))
        raise StreamRefused(advice.after(f"{what}: {error}"), fault=advice.sure) from error
    except (RedisError, OSError, TimeoutError) as error:
        said = str(error) or type(error).__name__
        advice = of_command(said)  # of a login that has lapsed
        raise Unreachable(advice.after(f"{what}: {said}"), fault=advice.sure) from error

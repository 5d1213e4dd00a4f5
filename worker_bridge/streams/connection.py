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
from worker_bridge.link_state import LinkState

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


class Reach:
    """What comes of commands, in the errors of a StreamPort, and to `state`, if there is one."""

    def __init__(self, link: Link, state: LinkState | None) -> None:
        self._name = name_of(link)
        self._state = state

    @contextmanager
    def __call__(self, what: str = "") -> Iterator[None]:
        """Around a command; `what` it is about. What Redis refuses is its state too (out of memory, no permission, no
        stream): it is tried again later.
        """
        name = f"{self._name}: {what}" if what else self._name
        try:
            yield
        except NotConnected as error:
            raise self._away(str(error), fault=error.sure) from error
        except ResponseError as error:
            self._answered()
            advice = of_command(str(error))
            raise StreamRefused(advice.after(f"{name}: {error}"), fault=advice.sure) from error
        except (RedisError, OSError, TimeoutError) as error:
            said = str(error) or type(error).__name__
            advice = of_command(said)  # of a login that has lapsed
            raise self._away(advice.after(said), fault=advice.sure) from error
        self._answered()

    def _answered(self) -> None:
        if self._state is not None:
            self._state.answered()

    def _away(self, said: str, *, fault: bool) -> Unreachable:
        text = f"{self._name}: {said}"
        if self._state is not None:
            self._state.failed(text, fault=fault)
        return Unreachable(text, fault=fault)


def name_of(link: Link) -> str:
    """For people."""
    host = f"[{link.host}]" if ":" in link.host else link.host
    return f"Redis at {host}:{link.port}"

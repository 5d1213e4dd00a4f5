"""PostgreSQL: a few connections, each used by one thread at a time. Any number of coordinators may share the tables."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final, Self

import psycopg
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool, PoolTimeout

from coordinator.errors import StartError, StoreUnavailable
from coordinator.store.database import Operation, Result, Row
from coordinator.store.schema import migrate

_CONNECTIONS: Final = 8
_START_SECONDS: Final = 30.0
_WAIT_SECONDS: Final = 4.0  # less than the 5 s that a worker waits for a lease
_CONFLICTS: Final = 5
_MIGRATION_LOCK: Final = 0x636F6F7264  # any number that other programs do not use
_ENCODING: Final = "UTF8"  # in others there are texts that cannot be kept; of SQL_ASCII psycopg makes bytes, not str
# clock_timestamp, since now() stands still in a transaction.
_WORDS: Final = {
    "NOW_MS": "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
    "FOR_UPDATE": "FOR UPDATE",
    "SKIP_LOCKED": "SKIP LOCKED",
    "SERIAL_KEY": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    "BYTES": "BYTEA",
}
_NAME: Final = "PostgreSQL (COORDINATOR_DATABASE_URL)"
_PARAMETER: Final = re.compile(r":(\w+)")


@cache
def _spelled(sql: str) -> bytes:
    for word, meaning in _WORDS.items():
        sql = sql.replace(word, meaning)
    return _PARAMETER.sub(r"%(\1)s", sql).encode()


@dataclass(frozen=True, slots=True)
class _PostgresTransaction:
    connection: psycopg.Connection[Any]

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        return list(self.connection.execute(_spelled(sql), parameters).fetchall())

    def change(self, sql: str, **parameters: object) -> int:
        return self.connection.execute(_spelled(sql), parameters).rowcount


class PostgresDatabase:
    """The tables in one PostgreSQL database."""

    def __init__(self, url: str) -> None:
        """Connects and migrates. Waits half a minute for a server that is just starting. Raises StartError."""
        self._failures = _Failures()
        self._pool: ConnectionPool[psycopg.Connection[Any]] = ConnectionPool(
            url,
            connection_class=_telling(self._failures),
            min_size=1,
            max_size=_CONNECTIONS,
            timeout=_WAIT_SECONDS,
            kwargs={"row_factory": dict_row, "connect_timeout": 5, "application_name": "coordinator"},
            open=False,
        )
        self._threads = ThreadPoolExecutor(_CONNECTIONS, "postgres")
        try:
            self._pool.open(wait=True, timeout=_START_SECONDS)
            with self._pool.connection() as connection:
                _insist_on_utf8(connection)
                connection.execute("SELECT pg_advisory_xact_lock(%s)", [_MIGRATION_LOCK])
                migrate(_PostgresTransaction(connection))
        except (psycopg.Error, PoolTimeout) as error:
            self._pool.close()
            why = self._failures.latest or _first_line(error)
            raise StartError(f"COORDINATOR_DATABASE_URL: PostgreSQL cannot be used: {why}") from None
        except BaseException:
            self._pool.close()
            raise

    async def run(self, operation: Operation[Result]) -> Result:
        """Raises StoreUnavailable."""
        try:
            answer = asyncio.get_running_loop().run_in_executor(self._threads, partial(self._attempt, operation))
        except RuntimeError:  # its threads were told to end
            raise StoreUnavailable("the database is closed") from None
        return await answer

    async def close(self) -> None:
        """Finishes what was begun."""
        await asyncio.to_thread(self._threads.shutdown)
        await asyncio.to_thread(self._pool.close)

    def _attempt(self, operation: Operation[Result]) -> Result:
        conflict: psycopg.Error | None = None
        for _ in range(_CONFLICTS):
            try:
                with self._pool.connection() as connection:
                    return operation(_PostgresTransaction(connection))
            except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure) as error:
                conflict = error
            except PoolTimeout as error:
                raise StoreUnavailable(f"{_NAME}: {self._failures.latest or _first_line(error)}") from None
            except psycopg.OperationalError as error:
                raise StoreUnavailable(f"{_NAME}: {_first_line(error)}") from None
        raise StoreUnavailable(f"{_NAME}: {_first_line(conflict)}") from None


@dataclass(slots=True)
class _Failures:
    """Why there was no connection at the latest try; empty when there was one. libpq names the address, no password.

    The pool itself knows that it waited in vain, and not what for.
    """

    latest: str = ""


def _telling(failures: _Failures) -> type[psycopg.Connection[Any]]:
    class Telling(psycopg.Connection[Any]):
        @classmethod
        def connect(cls, *arguments: Any, **more: Any) -> Self:
            try:
                made = super().connect(*arguments, **more)
            except psycopg.Error as error:
                failures.latest = _first_line(error)
                raise
            failures.latest = ""
            return made

    return Telling


def _insist_on_utf8(connection: psycopg.Connection[Any]) -> None:
    """Raises StartError for a database of another encoding, which it was made with and keeps."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != _ENCODING:
        raise StartError(
            f"COORDINATOR_DATABASE_URL: the database's encoding is {encoding}, expected {_ENCODING}: "
            "make another one with `createdb --encoding UTF8 --template template0`"
        )


def _first_line(error: BaseException | None) -> str:
    return str(error).partition("\n")[0]

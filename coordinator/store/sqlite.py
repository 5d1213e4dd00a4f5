"""SQLite: one thread has the only connection, and commits what waits for it together."""

from __future__ import annotations

import asyncio
import os
import queue
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from coordinator.errors import StartError, StoreUnavailable
from coordinator.store.database import Operation, Result, Row
from coordinator.store.outbox import release_all
from coordinator.store.schema import migrate

_OLDEST: Final = (3, 35, 0)  # RETURNING
_WAIT_SECONDS: Final = 2.0  # for a coordinator that is just ending
_TOGETHER: Final = 64  # operations in one commit: each commit waits for the disk
# julianday and not unixepoch(..., 'subsec'), which SQLite has from 3.42 on.
_NOW: Final = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
_WORDS: Final = {
    "NOW_MS": _NOW,
    "FOR_UPDATE": "",
    "SKIP_LOCKED": "",
    "SERIAL_KEY": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "BYTES": "BLOB",
}


@cache
def _spelled(sql: str) -> str:
    for word, meaning in _WORDS.items():
        sql = sql.replace(word, meaning)
    return sql


@dataclass(frozen=True, slots=True)
class _SqliteTransaction:
    connection: sqlite3.Connection

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        found = self.connection.execute(_spelled(sql), parameters)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def change(self, sql: str, **parameters: object) -> int:
        return self.connection.execute(_spelled(sql), parameters).rowcount


@dataclass(frozen=True, slots=True)
class _Job:
    operation: Operation[Any]
    answer: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop

    def answers(self, result: object, error: BaseException | None) -> None:
        try:
            self.loop.call_soon_threadsafe(self._set, result, error)
        except RuntimeError:  # the loop is closed: nobody waits
            pass

    def _set(self, result: object, error: BaseException | None) -> None:
        if self.answer.done():  # its caller went away
            return
        if error is None:
            self.answer.set_result(result)
        else:
            self.answer.set_exception(error)


class SqliteDatabase:
    """A file that only this process has open; `:memory:` is none."""

    def __init__(self, path: str) -> None:
        """Opens and migrates it. Raises StartError."""
        self._closed = False
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        opened: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, args=(path, opened.put), name="sqlite", daemon=True)
        self._thread.start()
        if (error := opened.get()) is not None:
            raise error

    async def run(self, operation: Operation[Result]) -> Result:
        """Raises StoreUnavailable."""
        if self._closed:
            raise StoreUnavailable("the database is closed")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Result] = loop.create_future()
        self._jobs.put(_Job(operation, answer, loop))
        return await answer

    async def close(self) -> None:
        """Finishes what was begun."""
        self._closed = True
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    def _work(self, path: str, opened: Callable[[BaseException | None], None]) -> None:
        try:
            connection = _open(path)
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            opened(error)
            return
        opened(None)
        try:
            while jobs := self._next():
                _commit_together(connection, jobs)
        finally:
            connection.close()

    def _next(self) -> list[_Job]:
        """What waits, at least one; nothing once it is closed."""
        jobs: list[_Job] = []
        job = self._jobs.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) == _TOGETHER or self._jobs.empty():
                return jobs
            job = self._jobs.get()
        self._jobs.put(None)  # for the next call: what was collected is done first
        return jobs


def _commit_together(connection: sqlite3.Connection, jobs: list[_Job]) -> None:
    """All in one transaction. One that fails takes back its own changes only."""
    answers: list[tuple[object, BaseException | None]] = []
    try:
        connection.execute("BEGIN IMMEDIATE")
        for job in jobs:
            connection.execute("SAVEPOINT one")
            try:
                answers.append((job.operation(_SqliteTransaction(connection)), None))
            except Exception as error:
                if not connection.in_transaction:  # SQLite took all of it back: a full disk
                    raise
                connection.execute("ROLLBACK TO one")
                answers.append((None, _told(error)))
            connection.execute("RELEASE one")
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        answers = [(None, _told(error))] * len(jobs)
    for job, (result, fault) in zip(jobs, answers, strict=True):
        job.answers(result, fault)


def _told(error: Exception) -> Exception:
    if isinstance(error, sqlite3.OperationalError):  # a full disk, a file that cannot be read
        return StoreUnavailable(f"SQLite: {error}")
    return error


def _open(path: str) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < _OLDEST:
        raise StartError(f"SQLite {sqlite3.sqlite_version} is too old: 3.35 or newer is needed, or PostgreSQL")
    try:
        _make_private(path)
        connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise StartError(f"COORDINATOR_DATABASE_URL: {path} cannot be opened: {error}") from None
    try:
        # Exclusive: no other process can read or change what this one believes to own. To be set before the first use.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # what was acknowledged outlives a power cut
        connection.execute("BEGIN IMMEDIATE")
        transaction = _SqliteTransaction(connection)
        migrate(transaction)
        release_all(transaction)
        connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        connection.close()
        busy = "locked" in str(error)
        raise StartError(
            f"COORDINATOR_DATABASE_URL: {path} "
            + ("is in use by another coordinator: stop it, or name another file" if busy else f"is not usable: {error}")
        ) from None
    except sqlite3.DatabaseError as error:
        connection.close()
        raise StartError(f"COORDINATOR_DATABASE_URL: {path} is not usable: {error}") from None
    except BaseException:
        connection.close()
        raise
    return connection


def _make_private(path: str) -> None:
    """Tasks hold code and data: a new file is for its owner alone (and SQLite gives its other files the same mode)."""
    if path != ":memory:" and not Path(path).exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))

"""What is particular to a database, and what both promise: all of an operation or nothing, migrations, one owner."""

from __future__ import annotations

import asyncio
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from coordinator.core.states import TaskState
from coordinator.errors import StartError, StoreUnavailable
from coordinator.store import schema, tasks
from coordinator.store.opened import opener
from coordinator.store.sqlite import SqliteDatabase
from tests.coordinator.servers import until

COUNT = "SELECT COUNT(*) AS n FROM tasks"
INTO_OUTBOX = "INSERT INTO outbox (run_id, task_id, attempt, available_at, claimed_until)"


async def test_an_operation_that_fails_changes_nothing_and_others_beside_it_count(table):
    def fail(tx) -> None:
        tx.change("UPDATE tasks SET state = 5")
        raise KeyError("a fault of ours")

    await table.add("a")
    answers = await asyncio.gather(
        *(table.add(f"t{number}") for number in range(5)),
        *(table.database.run(fail) for _ in range(5)),
        *(table.add(f"u{number}") for number in range(5)),
        return_exceptions=True,
    )

    assert [type(answer) for answer in answers] == [bool] * 5 + [KeyError] * 5 + [bool] * 5
    assert await table.database.run(lambda tx: tasks.count(tx, "")) == {TaskState.PENDING: 11}


async def test_what_was_written_is_there_after_the_next_start(database_url):
    first = opener(database_url)()
    await first.run(lambda tx: tx.change(f"{INTO_OUTBOX} VALUES ('r', 't', 1, 5, 0)"))
    await first.close()

    second = opener(database_url)()
    assert [row["available_at"] for row in await second.run(lambda tx: tx.rows("SELECT * FROM outbox"))] == [5]
    await second.close()


async def test_a_closed_database_says_so(database_url):
    database = opener(database_url)()
    await database.close()

    with pytest.raises(StoreUnavailable):
        await database.run(lambda tx: tx.rows(COUNT))


async def test_a_newer_schema_is_refused(database_url):
    database = opener(database_url)()
    await database.run(lambda tx: tx.change("UPDATE schema_version SET version = :v", v=schema.VERSION + 1))
    await database.close()

    with pytest.raises(
        StartError, match=f"schema version {schema.VERSION + 1}, this coordinator knows {schema.VERSION}"
    ):
        opener(database_url)()


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_keep_each_text_is_refused(postgres_server, encoding):
    """Of SQL_ASCII, as a cluster has that was made without a locale, no task would ever be dispatched."""
    with pytest.raises(StartError, match=f"encoding is {encoding}, expected UTF8: make another one with `createdb"):
        opener(postgres_server.new_database(encoding))()


async def test_an_older_schema_is_brought_up_to_date(database_url, monkeypatch):
    database = opener(database_url)()
    await database.close()
    monkeypatch.setattr(schema, "_MIGRATIONS", (*schema._MIGRATIONS, ("CREATE TABLE more (id SERIAL_KEY, b BYTES)",)))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)

    for _ in range(2):  # the second time there is nothing to do
        database = opener(database_url)()
        found = await database.run(lambda tx: tx.rows("SELECT version FROM schema_version"))
        assert (found, await database.run(lambda tx: tx.rows("SELECT * FROM more"))) == (
            [{"version": schema.VERSION}],
            [],
        )
        await database.close()


async def test_the_database_s_clock_is_the_time_of_day(table):
    import time

    (row,) = await table.database.run(lambda tx: tx.rows("SELECT NOW_MS AS now"))

    assert abs(row["now"] / 1000 - time.time()) < 30
    readings = {(await table.database.run(lambda tx: tx.rows("SELECT NOW_MS AS now")))[0]["now"] for _ in range(50)}
    assert any(reading % 1000 for reading in readings)  # milliseconds, not seconds


def test_a_file_has_one_owner_and_is_free_when_he_was_killed(tmp_path):
    path = tmp_path / "tasks.db"
    holding = (
        "import sys, time; from coordinator.store.sqlite import SqliteDatabase; "
        "d = SqliteDatabase(sys.argv[1]); print('open', flush=True); time.sleep(600)"
    )
    other = subprocess.Popen([sys.executable, "-c", holding, path], stdout=subprocess.PIPE)
    try:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(StartError, match="in use by another coordinator"):
            SqliteDatabase(str(path))
    finally:
        other.kill()
        other.wait()

    asyncio.run(SqliteDatabase(str(path)).close())


async def test_a_file_is_for_its_owner_alone(tmp_path):
    database = SqliteDatabase(str(tmp_path / "tasks.db"))
    await database.run(lambda tx: tx.change("DELETE FROM outbox"))
    files = list(tmp_path.iterdir())
    modes = {stat.S_IMODE(path.stat().st_mode) for path in files}
    await database.close()

    assert len(files) > 1  # the log lies beside it
    assert modes == {0o600}


async def test_a_file_that_is_no_database_is_refused(tmp_path):
    path = tmp_path / "tasks.db"
    path.write_text("no database, but a text that is long enough to look at " * 20)

    with pytest.raises(StartError, match="is not usable"):
        SqliteDatabase(str(path))


async def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StartError, match=r"COORDINATOR_DATABASE_URL: .*/none/tasks.db cannot be opened"):
        SqliteDatabase(str(tmp_path / "none" / "tasks.db"))


async def test_claims_of_a_dead_owner_of_a_file_are_free_at_once(tmp_path):
    database = SqliteDatabase(str(tmp_path / "tasks.db"))
    await database.run(lambda tx: tx.change(f"{INTO_OUTBOX} VALUES ('r', 't', 1, 5, NOW_MS + 99999)"))
    await database.close()

    database = SqliteDatabase(str(tmp_path / "tasks.db"))
    assert [row["claimed_until"] for row in await database.run(lambda tx: tx.rows("SELECT * FROM outbox"))] == [0]
    await database.close()


async def test_a_server_that_goes_away_and_comes_back(postgres_server):
    database = opener(postgres_server.new_database())()
    try:
        postgres_server.stop()
        with pytest.raises(StoreUnavailable, match=r"PostgreSQL \(COORDINATOR_DATABASE_URL\): "):
            await database.run(lambda tx: tx.rows(COUNT))
        with pytest.raises(StoreUnavailable, match=f"port {postgres_server.port} failed: Connection refused"):
            await database.run(lambda tx: tx.rows(COUNT))
    finally:
        postgres_server.start()

    def works() -> bool:
        try:
            return asyncio.run_coroutine_threadsafe(database.run(lambda tx: tx.rows(COUNT)), loop).result() == [
                {"n": 0}
            ]
        except StoreUnavailable:
            return False

    loop = asyncio.get_running_loop()
    await asyncio.to_thread(until, works, "PostgreSQL is used again")
    await database.close()


@pytest.mark.parametrize(
    "url", ["mysql://x", "sqlite://", "sqlite:///", "sqlite://host/file", "tasks.db", "sqlite:///a?b=1", ""]
)
def test_a_url_of_another_kind_is_refused(url):
    with pytest.raises(ValueError, match="expected sqlite"):
        opener(url)


def test_three_slashes_are_a_relative_path_four_an_absolute_one():
    assert opener("sqlite:///a/b%20c.db").args == ("a/b c.db",)
    assert opener("sqlite:////a/b.db").args == (str(Path("/a/b.db")),)

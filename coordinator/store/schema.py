"""The tables, as the steps that lead to them from an empty database."""

from __future__ import annotations

from typing import Final

from coordinator.errors import StartError
from coordinator.store.database import Transaction

# A step that was released is never changed: there are databases that took it. BYTES and SERIAL_KEY stand for what the
# databases spell differently. Moments are milliseconds since 1970, by the database's clock.
_MIGRATIONS: Final = (
    (
        """
        CREATE TABLE tasks (
          seq SERIAL_KEY,
          run_id TEXT NOT NULL,
          task_id TEXT NOT NULL,
          node_id TEXT NOT NULL,
          node_type TEXT NOT NULL,
          workflow_id TEXT NOT NULL,
          workflow_version TEXT NOT NULL,
          traceparent TEXT NOT NULL,
          queue TEXT NOT NULL,
          input BYTES NOT NULL,
          state INTEGER NOT NULL,
          attempt INTEGER NOT NULL,
          max_attempts INTEGER NOT NULL,
          digest BYTES NOT NULL,
          owner TEXT NOT NULL DEFAULT '',
          fence BIGINT NOT NULL DEFAULT 0,
          lease_until BIGINT NOT NULL DEFAULT 0,
          lease_ttl BIGINT NOT NULL DEFAULT 0,
          lost_leases INTEGER NOT NULL DEFAULT 0,
          stream TEXT NOT NULL DEFAULT '',
          entry_id TEXT NOT NULL DEFAULT '',
          checked_at BIGINT NOT NULL DEFAULT 0,
          output BYTES,
          error TEXT NOT NULL DEFAULT '',
          error_json BYTES,
          logs_json BYTES,
          created_at BIGINT NOT NULL,
          updated_at BIGINT NOT NULL,
          UNIQUE (run_id, task_id)
        )
        """,
        "CREATE INDEX tasks_of_run ON tasks (run_id, seq)",
        "CREATE INDEX tasks_queued ON tasks (checked_at) WHERE state = 2",
        "CREATE INDEX tasks_running ON tasks (lease_until) WHERE state = 3",
        "CREATE INDEX tasks_ended ON tasks (updated_at) WHERE state IN (4, 5)",
        """
        CREATE TABLE outbox (
          id SERIAL_KEY,
          run_id TEXT NOT NULL,
          task_id TEXT NOT NULL,
          attempt INTEGER NOT NULL,
          available_at BIGINT NOT NULL,
          claimed_until BIGINT NOT NULL DEFAULT 0,
          UNIQUE (run_id, task_id)
        )
        """,
        "CREATE INDEX outbox_due ON outbox (available_at, id)",
    ),
)
VERSION: Final = len(_MIGRATIONS)


def migrate(tx: Transaction) -> None:
    """Brings the tables to VERSION. Raises StartError for those of a newer coordinator."""
    tx.change("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
    found = tx.rows("SELECT version FROM schema_version")
    version = int(found[0]["version"]) if found else 0
    if version > VERSION:
        raise StartError(
            f"the tables in COORDINATOR_DATABASE_URL have schema version {version}, this coordinator knows "
            f"{VERSION}: run the newer coordinator, or name another database"
        )
    for step in _MIGRATIONS[version:]:
        for statement in step:
            tx.change(statement)
    if not found:
        tx.change("INSERT INTO schema_version (version) VALUES (:version)", version=VERSION)
    elif version < VERSION:
        tx.change("UPDATE schema_version SET version = :version", version=VERSION)

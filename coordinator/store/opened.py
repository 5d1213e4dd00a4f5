"""The database that a URL names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import unquote, urlsplit

from coordinator.errors import StartError
from coordinator.store.database import Database

SPELLINGS = "sqlite:///FILE, sqlite:////FOLDER/FILE or postgresql://USER@HOST/DATABASE"


def opener(url: str) -> Callable[[], Database]:
    """What opens it. Raises ValueError for a URL of another kind; opening raises StartError."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        path = unquote(parts.path[1:])
        if parts.netloc or not path or parts.query or parts.fragment:
            raise ValueError(f"expected {SPELLINGS}")
        return partial(_sqlite, path)
    if parts.scheme in ("postgresql", "postgres"):
        return partial(_postgres, url)
    raise ValueError(f"expected {SPELLINGS}")


def _sqlite(path: str) -> Database:
    from coordinator.store.sqlite import SqliteDatabase

    return SqliteDatabase(path)


def _postgres(url: str) -> Database:
    try:
        from coordinator.store.postgres import PostgresDatabase
    except ImportError:
        raise StartError(
            "COORDINATOR_DATABASE_URL names PostgreSQL, whose driver is not installed: it comes with "
            "`langserver[postgresql]`"
        ) from None
    return PostgresDatabase(url)

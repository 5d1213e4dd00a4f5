"""The database that a URL names."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final
from urllib.parse import unquote, urlsplit

from coordinator.errors import StartError
from coordinator.store.database import Database

SPELLINGS = (
    "sqlite:///FILE, sqlite:////FOLDER/FILE or postgresql://USER@HOST/DATABASE, "
    "what is special in a URL percent-encoded in user and password"
)

# RFC 3986. Of what is none libpq's errors show the part that it cannot read, and that may be a password's.
_WRITTEN: Final = re.compile(r"(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+")
_HOSTS: Final = re.compile(r"(?:(?:\[[0-9A-Fa-f:.]+\]|[^\[\]:@,]*)(?::[0-9]*)?(?:,|$))*")


def opener(url: str) -> Callable[[], Database]:
    """What opens it. Raises ValueError for a URL of another kind; opening raises StartError."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        path = unquote(parts.path[1:])
        if parts.netloc or not path or parts.query or parts.fragment:
            raise ValueError(f"expected {SPELLINGS}")
        return partial(_sqlite, path)
    if parts.scheme in ("postgresql", "postgres"):
        login, _, hosts = parts.netloc.rpartition("@")
        if not _WRITTEN.fullmatch(url) or not _HOSTS.fullmatch(hosts) or "@" in login or parts.fragment:
            raise ValueError(f"expected {SPELLINGS}")
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

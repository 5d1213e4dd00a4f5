"""A database server that is not among those that are killed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.coordinator.servers import PostgresServer


@pytest.fixture
def make_database() -> Iterator[Callable[[], str]]:
    """Starts a PostgreSQL for the one who asks; the URL of an empty database."""
    # Not under pytest's folder, which only its owner may enter: another user runs PostgreSQL.
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    server = PostgresServer(folder)

    def make() -> str:
        server.start()
        return server.new_database()

    try:
        yield make
    finally:
        server.stop()
        shutil.rmtree(folder)

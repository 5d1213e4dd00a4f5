"""The tables of docs/python.md say what the code does."""

from __future__ import annotations

import sys

import pytest

from langserver.python_runtime import grammar
from tests.runtimes.python import reference
from tests.runtimes.python.conftest import loaded


@pytest.fixture(scope="module")
def tables() -> dict[str, str]:
    loaded(policy=True)
    return reference.tables()


def test_tables_are_fresh(tables: dict[str, str]) -> None:
    page = reference.PAGE.read_text("utf-8")
    # What a newer library has besides is not on the page, which is written with the oldest Python.
    depends = {"modules", "closed"} if sys.version_info >= (3, 12) else set()
    stale = [name for name, table in tables.items() if name not in depends and reference.between(page, name) != table]
    assert stale == [], "run `python -m tests.runtimes.python.reference`"


def test_every_version_that_is_known_is_told_of() -> None:
    page = reference.PAGE.read_text("utf-8")
    for major, minor in grammar.NEWS:
        assert f"| {major}.{minor} |" in page

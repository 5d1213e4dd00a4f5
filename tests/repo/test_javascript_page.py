"""docs/javascript.md says what programs really get."""

from __future__ import annotations

from tests.repo.javascript_tables import PAGE, filled, tables
from tests.runtimes.js.driver import Forker


def test_the_tables_are_fresh() -> None:
    js = Forker()
    try:
        page = PAGE.read_text()
        assert page == filled(page, tables(js)), "run python -m tests.repo.javascript_tables"
    finally:
        js.close()

"""One forker for all tests of the JavaScript runtime: forking is what makes a test cost milliseconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runtimes.js.driver import Forker


@pytest.fixture(scope="session")
def js() -> Iterator[Forker]:
    forker = Forker()
    yield forker
    forker.close()

"""One forker for all tests of the JavaScript runtime: forking is what makes a test cost milliseconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runtimes.js.driver import Forker


# Every test of the runtime holds in both profiles; of the second test_jit.py tells faster.
@pytest.fixture(scope="session", params=["jitless", pytest.param("jit", marks=pytest.mark.slow)])
def js(request: pytest.FixtureRequest) -> Iterator[Forker]:
    forker = Forker(jit=request.param == "jit")
    yield forker
    forker.close()

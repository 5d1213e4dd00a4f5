"""One server for all tests that leave it as it was."""

from __future__ import annotations

import pytest

from tests.integration.server.harness import running_server


@pytest.fixture(scope="session")
def shared_server():
    with running_server(LANG_RUNTIMES="python,js", LANG_REFLECTION="1") as server:
        yield server


@pytest.fixture
def client(shared_server):
    with shared_server.connect() as client:
        yield client

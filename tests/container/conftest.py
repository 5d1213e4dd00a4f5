"""One image and one server for all tests here. Without podman and root they are skipped, with the reason."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.container import engine as tools
from tests.container.engine import Engine
from tests.container.image import build
from tests.container.server import ContainerServer, serving


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = tools.why_not()
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            # The first one waits for the image, whose making has guards of its own.
            item.add_marker(pytest.mark.timeout(func_only=True))
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=f"no container here: {reason}"))


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """At the end nothing is left but the base image."""
    made = Engine(secrets.token_hex(4))
    try:
        yield made
    finally:
        made.clear()


@pytest.fixture(scope="session")
def image(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of the image, made of this tree."""
    return build(engine, tmp_path_factory.mktemp("image"))


@pytest.fixture(scope="session")
def server(engine: Engine, image: str) -> Iterator[ContainerServer]:
    """A server in a hardened container, for all tests that leave one as it was."""
    with serving(engine, image) as running:
        yield running

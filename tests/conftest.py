"""What holds for all tests."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A deadline an example would make a test's outcome a matter of the machine's load.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Among several workers, what shares costly fixtures goes to one: a file, and all tests of the image."""
    if not config.pluginmanager.hasplugin("xdist"):  # the image that tests/container makes is without
        return
    for item in items:
        group = "container" if "container" in item.path.parts else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(autouse=True)
def _grpc_says_what_it_says_to_users() -> Iterator[None]:
    """A command that is called in this process silences gRPC for it, and so for servers that later tests start."""
    given = os.environ.get("GRPC_VERBOSITY")
    yield
    if given is None:
        os.environ.pop("GRPC_VERBOSITY", None)

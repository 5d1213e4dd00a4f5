"""What holds for all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

# A deadline an example would make a test's outcome a matter of the machine's load.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


@pytest.hookimpl(optionalhook=True)  # the image that tests/container makes is without pytest-xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Among several workers, what shares costly fixtures goes to one: a file, and all tests of the image.

    xdist's own groups do nothing from pytest 9.2 on: it names a test by other means than those that they change.
    """
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "tests/container" if file.startswith("tests/container/") else file

    return ByFile(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture(autouse=True)
def _grpc_says_what_it_says_to_users() -> Iterator[None]:
    """A command that is called in this process silences gRPC for it, and so for servers that later tests start."""
    given = os.environ.get("GRPC_VERBOSITY")
    yield
    if given is None:
        os.environ.pop("GRPC_VERBOSITY", None)
    else:
        os.environ["GRPC_VERBOSITY"] = given

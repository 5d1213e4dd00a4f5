"""A server that inherits orphans, as the first process of a container does, leaves none of them unburied."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from tests.integration.server.harness import running_server, wait_for

# PR_SET_CHILD_SUBREAPER(2const): orphans below this process become its own, and an exec does not change that.
HEIR = (
    sys.executable,
    "-c",
    "import ctypes, os, sys\nassert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0\nos.execv(sys.argv[1], sys.argv[1:])",
)
ROOT = Path(__file__).parents[3]
FORBIDDING = (sys.executable, "-I", str(ROOT / "tests" / "sandbox" / "forbidding.py"), str(ROOT), "unshare")


@pytest.mark.parametrize("wrapper", [HEIR, (*FORBIDDING, *HEIR)], ids=["all layers", "no namespaces"])
def test_what_a_dead_zygote_leaves_is_buried(wrapper: tuple[str, ...]) -> None:
    """Without namespaces its children, with them the zygote of a dead launcher."""
    with running_server(wrapper, LANG_WARM_CHILDREN="2") as server, server.connect() as client:
        for _ in range(2):
            assert client.execute("return 1").output_json == "1"
            (started,) = psutil.Process(server.process.pid).children()
            wait_for(lambda started=started: len(started.children(recursive=True)) >= 2)
            left = started.children(recursive=True)
            os.kill(started.pid, signal.SIGKILL)
            wait_for(lambda left=left: not any(process.is_running() for process in left))
            assert client.execute("return 2").output_json == "2"
        server.signal()
        status, _, errors = server.wait()
        assert status == 0, errors

"""Keys of the bridge that cannot be used are named when it starts."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.chaos.processes import python

TOKEN = "a-token-of-the-bridge"
FAR = "python:192.0.2.1:1"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"COORDINATOR_ADDR": "192.0.2.1:1", "COORDINATOR_TOKEN": TOKEN}, "in the clear: set COORDINATOR_TLS_CA"),
        ({"LANG_WORKER_ADDRS": FAR, "LANG_WORKER_TOKEN": TOKEN}, "in the clear: set LANG_WORKER_TLS_CA"),
        ({"LANG_WORKER_TOKEN": f"{TOKEN}\n{TOKEN}"}, "LANG_WORKER_TOKEN is not usable"),
        ({"LANG_WORKER_CLIENT_CERT": __file__}, "LANG_WORKER_CLIENT_CERT and LANG_WORKER_CLIENT_KEY go together"),
        ({"COORDINATOR_TLS_CA": __file__}, "COORDINATOR_TLS_CA holds no certificates"),
        ({"COORDINATOR_TOKEN_FILE": "/nowhere"}, "COORDINATOR_TOKEN_FILE is '/nowhere': expected a file"),
        ({"COORDINATOR_TOKEN_FILE": "/dev/null"}, "COORDINATOR_TOKEN_FILE is not usable"),
    ],
)
def test_it_does_not_start(settings: dict[str, str], words: str) -> None:
    known = {"LANG_WORKER_ADDRS": "python:127.0.0.1:1"}
    ended = subprocess.run(
        python("worker_bridge.cli", "run"),
        env={**os.environ, **known, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, words in ended.stderr) == (3, True), ended.stderr
    assert TOKEN not in ended.stderr
    assert "Traceback" not in ended.stderr

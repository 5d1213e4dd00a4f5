"""Keys that cannot be used are named when a program starts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.chaos.processes import python

TOKEN = "a-token-of-the-bridge"
FAR = "python:192.0.2.1:1"
REDIS = [
    (
        {"REDIS_ADDR": "192.0.2.1:1"},
        "without TLS: whoever is on the way could read tasks and add others. Set REDIS_TLS_CA",
    ),
    ({"REDIS_ADDR": "192.0.2.1:1", "REDIS_PASSWORD": TOKEN}, "the password would cross the network in the clear. Set"),
    (
        {"REDIS_ADDR": f"redis://me:{TOKEN}@h:1"},
        "REDIS_ADDR is a URL, or has a user or a password in it: expected HOST:",
    ),
    (
        {"REDIS_ADDR": f"me:{TOKEN}@h:1"},
        "The user goes into REDIS_USER, the password into the file that REDIS_PASSWORD_FI",
    ),
    ({"REDIS_ADDR": "rediss://h:1"}, "and REDIS_TLS_CA asks for TLS"),
    ({"REDIS_ADDR": "h"}, "REDIS_ADDR is 'h': expected HOST:PORT"),
    ({"REDIS_PASSWORD": f"{TOKEN}\n{TOKEN}"}, "REDIS_PASSWORD is not usable"),
    ({"REDIS_PASSWORD_FILE": "/nowhere"}, "REDIS_PASSWORD_FILE is '/nowhere': expected a file"),
    ({"REDIS_TLS_CA": __file__}, "REDIS_TLS_CA holds no certificates"),
    ({"REDIS_CLIENT_KEY": __file__}, "REDIS_CLIENT_CERT and REDIS_CLIENT_KEY go together"),
    ({"REDIS_ALLOW_INSECURE": "perhaps"}, "REDIS_ALLOW_INSECURE is 'perhaps': expected 1 or 0"),
]


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
        *REDIS,
    ],
)
def test_it_does_not_start(settings: dict[str, str], words: str) -> None:
    refuses("worker_bridge.cli", "run", {"LANG_WORKER_ADDRS": "python:127.0.0.1:1", **settings}, words)


@pytest.mark.parametrize(("settings", "words"), REDIS)
def test_nor_does_a_coordinator(settings: dict[str, str], words: str, tmp_path: Path) -> None:
    known = {"COORDINATOR_LISTEN_ADDR": "127.0.0.1:0", "COORDINATOR_DATABASE_URL": f"sqlite:///{tmp_path}/tasks.db"}
    refuses("coordinator.cli", "serve", known | settings, words)


def refuses(module: str, command: str, settings: dict[str, str], words: str) -> None:
    ended = subprocess.run(
        python(module, command),
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, words in ended.stderr) == (3, True), ended.stderr
    assert TOKEN not in ended.stderr
    assert "Traceback" not in ended.stderr

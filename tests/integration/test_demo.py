"""The demo is what a newcomer runs first."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.coordinator.servers import found, free_port
from tests.integration.server.harness import wait_for

ROOT = Path(__file__).parents[2]
HANG_GUARD_SECONDS = 100
ASKED_FOR = (
    "CSV summary",
    "date calculation",
    "async JavaScript",
    "unknown key",
    "syntax error",
    "endless loop",
    "memory bomb",
    "huge print",
    "read /etc/passwd",
    "open a socket",
    "fork",
)
# The same demo with one expectation that cannot come true.
MISLED = """\
import sys
sys.path.insert(0, "demo")
import dataclasses, run, tasks
misled = dataclasses.replace(tasks.TASKS[0], {change})
sys.exit(run.main([misled], []))
"""
MISLED_BATCH = """\
import sys
sys.path.insert(0, "demo")
import dataclasses, run, batch
misled = dataclasses.replace(batch.BATCH[0], {change})
sys.exit(run.main([], [misled]))
"""
NO_SERVER = """\
import os, sys
sys.path.insert(0, "demo")
import run
started = run.subprocess.Popen
run.subprocess.Popen = lambda command, **options: started(
    command, **{**options, "env": {**options["env"], "LANG_RUNTIMES": "cobol"}}
)
sys.exit(run.main([], []))
"""


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_SECONDS,
        check=False,
    )


def test_every_outcome_is_the_expected_one():
    ended = run("demo/run.py")

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert all(f"\n{name} " in ended.stdout for name in ASKED_FOR)
    assert (
        "\nfails each time   python  FAILED            3  USER_ERROR: ZeroDivisionError: division by zero"
        in ended.stdout
    )
    assert '\nexchange rates    http    COMPLETED         1  {"EUR": 1, "USD": 1.25}' in ended.stdout
    assert "\ncloud's secrets   http    FAILED            1  EGRESS_REFUSED: 169.254.169.254: " in ended.stdout
    assert "\n(no task)                 parked" in ended.stdout
    assert ended.stderr == "", "what the servers say is nothing for a newcomer"
    assert ended.stdout.endswith("Every outcome is the expected one.\n")


def test_another_outcome_is_told_and_ends_with_1():
    ended = run("-c", MISLED.format(change="outcomes=('TIMEOUT',)"))

    assert ended.returncode == 1
    assert "NOT AS EXPECTED: CSV summary (python): expected TIMEOUT, got SUCCESS" in ended.stdout


def test_what_the_servers_said_is_shown_where_something_went_wrong(tmp_path: Path):
    ended = run("-c", MISLED.format(change="code='import os', outcomes=('TIMEOUT',)"), TMPDIR=str(tmp_path))

    assert ended.returncode == 1
    (file,) = tmp_path.glob("langserver-demo-*.log")
    assert f"What the servers said is in {file}, and ends:\n" in ended.stderr
    assert 'task_id="demo-1"' in file.read_text()
    assert 'task_id="demo-1"' in ended.stderr
    assert ended.stderr.endswith("not every outcome is the expected one\n")


def test_a_server_that_does_not_start_is_told_with_what_it_said(tmp_path: Path):
    ended = run("-c", NO_SERVER, TMPDIR=str(tmp_path))

    assert ended.returncode == 1
    assert "LANG_RUNTIMES" in ended.stderr
    assert ended.stderr.endswith("the server did not start\n")


def test_another_output_is_told_and_ends_with_1():
    ended = run("-c", MISLED.format(change="output=7"))

    assert ended.returncode == 1
    assert "expected the output 7, got" in ended.stdout


@pytest.mark.parametrize("change", ["state='FAILED'", "output=7", "attempts=2", "error='TIMEOUT: '"])
def test_another_end_of_a_queued_task_is_told_and_ends_with_1(change: str):
    ended = run("-c", MISLED_BATCH.format(change=change))

    assert ended.returncode == 1
    assert "NOT AS EXPECTED: order total: expected " in ended.stdout


@pytest.mark.parametrize("there", [True, False], ids=["in a Redis with a password", "without one"])
def test_how_redis_is_reached_comes_from_outside_where_redis_does(there, tmp_path):
    """A password for a Redis that is not asked for is not the demo's business, nor is a file that is not there."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("REDIS_")}
    port, server = free_port(), None
    if there:
        (tmp_path / "password").write_text("a-password-of-sixteen\n")
        command = [found("redis-server", "redis-server"), "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
        server = subprocess.Popen([*command, "--requirepass", "a-password-of-sixteen"], stdout=subprocess.DEVNULL)
        wait_for(lambda: answers(port))
        settings["REDIS_ADDR"] = f"127.0.0.1:{port}"
        settings["REDIS_PASSWORD_FILE"] = str(tmp_path / "password")
    else:
        settings["REDIS_TLS_CA"] = "/nowhere/ca.pem"
    try:
        ended = subprocess.run(
            [sys.executable, "demo/run.py"], cwd=ROOT, env=settings, capture_output=True, text=True, timeout=300
        )
    finally:
        if server is not None:
            server.kill()
            server.wait()
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (f"in Redis at 127.0.0.1:{port}" if there else "(in this process)") in ended.stdout


def test_what_keeps_the_queue_from_starting_is_one_line():
    settings = os.environ | {"REDIS_ADDR": "127.0.0.1:1", "REDIS_TLS_CA": "/nowhere/ca.pem"}
    ended = subprocess.run(
        [sys.executable, "demo/run.py"], cwd=ROOT, env=settings, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 1
    assert "REDIS_TLS_CA is '/nowhere/ca.pem': expected a file this process can read" in ended.stderr
    assert "Traceback" not in ended.stderr


def answers(port):
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        return True
    return False

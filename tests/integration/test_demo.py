"""The demo is what a newcomer runs first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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

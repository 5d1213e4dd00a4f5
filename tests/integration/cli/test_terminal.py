"""On a terminal: colours, and nothing of a task that could steer it. Elsewhere: bytes as they are."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys

import pytest

from tests.integration.cli.conftest import COMMAND, HANG_GUARD_SECONDS

STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NASTY = "\x1b]0;owned\x07 \x1b[31m \x9b2J \u202e \u2066 \r \x08 end"
PRINT_IT = f"""\
nasty = {NASTY!a}

def main():
    print(nasty)
    return nasty
"""
RAISE_IT = f"""\
def main():
    raise ValueError({NASTY!a})
"""


def on_terminal(tmp_path, code: str, **env: str) -> tuple[int, str]:
    """The command with a terminal as stdout and stderr: its status and what the terminal got."""
    (tmp_path / "a.py").write_text(code)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "langserver.cli", "run", "a.py"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**{name: value for name, value in os.environ.items() if name != "NO_COLOR"}, "TERM": "xterm", **env},
    ) as process:
        os.close(theirs)
        data = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux: EIO once the other side is closed
                break
            if not piece:
                break
            data += piece
    os.close(ours)
    return process.returncode, data.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(("code", "status"), [(PRINT_IT, 0), (RAISE_IT, 1)])
def test_a_task_cannot_steer_the_terminal(tmp_path, code, status):
    ended, text = on_terminal(tmp_path, code)

    assert ended == status
    assert not STEERING.search(COLOUR.sub("", text)), text
    assert "end" in text
    assert "\x1b[31m " not in text  # the program's own colour; ours are followed by a word


def test_output_with_escapes_is_still_the_same_json(tmp_path):
    _, text = on_terminal(tmp_path, PRINT_IT)

    assert json.loads(text.splitlines()[-1]) == NASTY


def test_errors_are_coloured_on_a_terminal(tmp_path):
    _, text = on_terminal(tmp_path, "1 +\n")

    assert "\x1b[31mSYNTAX_ERROR\x1b[0m" in text


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_can_be_had_off(tmp_path, env):
    _, text = on_terminal(tmp_path, "1 +\n", **env)

    assert "SYNTAX_ERROR" in text
    assert "\x1b" not in text


def test_a_pipe_gets_no_colours_and_the_text_itself(cli, task):
    ended = cli("run", task("a.py", PRINT_IT))

    assert ended.err == NASTY + "\n"
    assert "\x1b[1m" not in ended.err
    assert "\x1b" not in cli("run", task("b.py", "1 +\n")).err


@pytest.mark.parametrize(
    ("redirection", "status", "out", "err"),
    [
        (">/dev/full", 3, "", "the output could not be written: No space left on device"),
        (">&-", 0, "", ""),
        ("2>&-", 0, "1\n", ""),
        (">&- 2>&-", 0, "", ""),
    ],
)
def test_streams_that_take_nothing(tmp_path, redirection, status, out, err):
    file = tmp_path / "task.py"
    file.write_text("result = 1")
    command = f"exec {shlex.join([*COMMAND, 'run', str(file)])} {redirection}"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=HANG_GUARD_SECONDS)
    assert (ended.returncode, ended.stdout) == (status, out)
    assert err in ended.stderr
    assert "Traceback" not in ended.stderr


def test_standard_input_that_is_closed():
    command = f"exec {shlex.join([*COMMAND, 'run', '-', '--runtime', 'python'])} <&-"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=HANG_GUARD_SECONDS)
    assert (ended.returncode, ended.stderr) == (2, "langserver: standard input is closed\n")

"""--help teaches, --version answers, and a mistake costs one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from langserver import __version__

COMMANDS = ("serve", "run", "check", "doctor", "health")


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_version_on_each(typed, command):
    ended = typed(*command, "--version")

    assert (ended.status, ended.out) == (0, f"langserver {__version__}\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_an_example_and_the_exit_statuses(typed, name):
    ended = typed(name, "--help")

    assert (ended.status, ended.err) == (0, "")
    assert f"\n  langserver {name}" in ended.out
    assert "exit status: 0 " in ended.out
    assert all(len(line) <= 120 for line in ended.out.splitlines())


def test_help_lists_the_commands(typed):
    out = typed("--help").out

    assert all(f"\n    {name} " in out for name in COMMANDS)


@pytest.mark.parametrize("arguments", [(), ("fly",), ("run", "--fast", "a.py")])
def test_bad_usage_is_told_with_the_usage(typed, arguments):
    ended = typed(*arguments)

    assert (ended.status, ended.out) == (2, "")
    assert "usage: langserver" in ended.err


def test_the_package_is_the_command():
    ended = subprocess.run(
        [sys.executable, "-m", "langserver", "--version"], capture_output=True, text=True, check=True
    )

    assert ended.stdout == f"langserver {__version__}\n"

"""--help teaches, --version answers, and a mistake costs one line."""

from __future__ import annotations

import pytest

from langserver import __version__

COMMANDS = (("serve",), ("submit",), ("status",), ("cancel",), ("dead", "list"), ("dead", "requeue"), ("dead", "drop"))


@pytest.mark.parametrize("command", [(), ("dead",), *COMMANDS], ids=" ".join)
def test_version_on_each(typed, command):
    ended = typed(*command, "--version")

    assert (ended.status, ended.out) == (0, f"coordinator {__version__}\n")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_shows_an_example_and_the_exit_statuses(typed, command):
    ended = typed(*command, "--help")

    assert (ended.status, ended.err) == (0, "")
    assert f"\n  coordinator {' '.join(command)}" in ended.out
    assert "exit status: 0 " in ended.out
    assert all(len(line) <= 120 for line in ended.out.splitlines())


def test_help_lists_the_commands(typed):
    out = typed("--help").out

    assert all(f"\n    {name} " in out for name in ("serve", "submit", "status", "cancel", "dead"))


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("fly",),
        ("dead",),
        ("dead", "drop", "--older-than", "-1"),
        ("dead", "drop", "--older-than", "1d"),
        ("dead", "drop", "--older-than", "99999999999"),
        ("submit",),
        ("submit", "--node-type", "js", "--file", "x"),
        ("submit", "--node-type", "js", "--wait", "soon"),
        ("submit", "--node-type", "js", "--max-attempts", "0"),
        ("cancel",),
        ("status", "--addr"),
    ],
    ids=" ".join,
)
def test_bad_usage_is_told_with_the_usage(typed, arguments):
    ended = typed(*arguments)

    assert (ended.status, ended.out) == (2, "")
    assert "usage: coordinator" in ended.err

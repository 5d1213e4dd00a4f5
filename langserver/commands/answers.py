"""What the commands that run one child have in common: how they say no, and their exit status."""

from __future__ import annotations

import sys

from langserver.commands import as_json
from langserver.commands.exits import ExitStatus
from langserver.commands.present import Page
from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.core.verdict import Refusal

_REFUSED = {Refusal.INVALID_ARGUMENT: ExitStatus.USAGE, Refusal.UNAVAILABLE: ExitStatus.NO_SANDBOX}


def refuse(json: bool, refusal: Refusal, message: str) -> int:
    """Says what a server would have answered as a gRPC status; returns the exit status."""
    if json:
        Page.of(sys.stdout).line(as_json.dumps(as_json.status(refusal.value, message)))
    else:
        Page.of(sys.stderr).trouble(message)
    return _REFUSED[refusal]


def exit_status(failure: Failure | None) -> int:
    """Of an execution that was no refusal. INTERNAL is no fault of the task: its child could not be sealed."""
    if failure is None:
        return ExitStatus.SUCCESS
    return ExitStatus.NO_SANDBOX if failure.kind is ErrorKind.INTERNAL else ExitStatus.FAILED

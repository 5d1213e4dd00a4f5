"""Errors that an operator reads: they say what happened and what to do."""

from __future__ import annotations


class StartError(Exception):
    """The bridge cannot start as it is set up: exit status 3."""


class Unreachable(Exception):
    """Redis does not answer, or not now: whoever asked tries again after a while.

    `fault`: not before an operator mends something.
    """

    def __init__(self, message: str, *, fault: bool = False) -> None:
        super().__init__(message)
        self.fault = fault


class StreamRefused(Unreachable):
    """Redis answers, and will not do this, to this stream, now. Whoever tries it again holds nothing meanwhile."""


class NoAnswer(Exception):
    """A call got no answer, or one that says to try again later.

    `fault`: not before an operator mends something. `failed`: the coordinator answers, and fails at this very call.
    """

    def __init__(self, message: str, *, fault: bool = False, failed: bool = False) -> None:
        super().__init__(message)
        self.fault = fault
        self.failed = failed


class CallRefused(Exception):
    """The coordinator will not take this call, now or later; the text says why."""

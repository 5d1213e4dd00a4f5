"""How commands end."""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """`FAILED`: some task did. `NOT_STARTED` is what `serve` ends with, `WAIT_RAN_OUT` what `submit --wait` does;
    `NOT_WRITTEN`: it was done, and standard output could not take what there was to say.
    """

    SUCCESS = 0
    FAILED = 1
    USAGE = 2
    NOT_STARTED = 3
    WAIT_RAN_OUT = 3
    UNREACHABLE = 4
    NOT_WRITTEN = 5


class UsageError(Exception):
    """The command line or a file asks for something that cannot be done; the text says what to write instead."""


class NotWritten(Exception):
    """Standard output does not take what is written: a full disk."""


class Unreachable(Exception):
    """The coordinator does not answer, or cannot do what it should."""

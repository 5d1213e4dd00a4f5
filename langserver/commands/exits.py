"""How commands end."""

from __future__ import annotations

import signal
from enum import IntEnum


class ExitStatus(IntEnum):
    """`FAILED` is the task, the check or the health; `USAGE` a bad command line or request; `NO_SANDBOX` is ours."""

    SUCCESS = 0
    FAILED = 1
    USAGE = 2
    NO_SANDBOX = 3


class UsageError(Exception):
    """The command line asks for something that cannot be done; the text says what to write instead."""


class Interrupted(Exception):
    """A signal ended the command; everything it started is gone."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    @property
    def exit_status(self) -> int:
        """As shells count it (POSIX.1, Shell Command Language, 2.8.2)."""
        return 128 + self.number

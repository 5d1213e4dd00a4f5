"""What can go wrong between server and zygote."""

from __future__ import annotations


class ZygoteError(Exception):
    """A zygote could not start; the text holds its last words."""


class ZygoteLost(Exception):
    """The zygote died, or stopped answering and was killed."""


class SpawnRefused(Exception):
    """The kernel gave no process; the text says why."""

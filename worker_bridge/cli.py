"""The command line of the worker bridge: what can be typed."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    raise NotImplementedError(arguments)

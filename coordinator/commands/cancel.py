"""`coordinator cancel`: ends tasks that have not ended."""

from __future__ import annotations

from argparse import Namespace

from coordinator.commands.client import connected
from coordinator.commands.exits import ExitStatus
from coordinator.commands.output import line
from coordinator.commands.shown import counted


def cancel(options: Namespace) -> int:
    """Returns the exit status. Raises UsageError and Unreachable."""
    with connected(options.addr) as client:
        ended = counted(client.cancel(options.run_id, options.task_id))
    were = ", ".join(f"{number} {name}" for name, number in ended.items() if number)
    line(f"cancelled {sum(ended.values())} tasks" + (f": {were}" if were else ""))
    return ExitStatus.SUCCESS

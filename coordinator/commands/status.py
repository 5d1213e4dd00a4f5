"""`coordinator status`: how many tasks are in which state, or all that is known of a run's."""

from __future__ import annotations

from argparse import Namespace

from coordinator.commands.client import connected
from coordinator.commands.exits import ExitStatus
from coordinator.commands.output import json_line, line
from coordinator.commands.shown import counted, whole


def status(options: Namespace) -> int:
    """Returns the exit status. Raises UsageError and Unreachable."""
    with connected(options.addr) as client:
        if options.run_id and options.json:
            for task in client.tasks(options.run_id):
                json_line(whole(task))
            return ExitStatus.SUCCESS
        counts = counted(client.counts(options.run_id))
    if options.json:
        json_line(counts)
    else:
        for name, number in counts.items():
            line(f"{name:<9} {number}")
    return ExitStatus.SUCCESS

"""`coordinator dead`: the entries that workers parked."""

from __future__ import annotations

from argparse import Namespace

from coordinator.commands.client import connected
from coordinator.commands.exits import ExitStatus, UsageError
from coordinator.commands.output import json_line, line, trouble
from coordinator.pb import coordinator_pb2 as pb


def list_letters(options: Namespace) -> int:
    """Returns the exit status. Raises UsageError and Unreachable."""
    with connected(options.addr) as client:
        found = client.dead_letters(options.queue)
    for letter in found.letters:
        if options.json:
            json_line(_fields(letter))
        else:
            line(f"{letter.stream} {letter.entry_id} run={letter.run_id} task={letter.task_id}: {letter.reason}")
    if found.truncated:
        trouble("there are more: requeue some, or look at one queue by --queue")
    return ExitStatus.SUCCESS


def requeue(options: Namespace) -> int:
    """Returns the exit status: 1 when a letter was left. Raises UsageError and Unreachable."""
    if bool(options.entry_id) is options.all:
        raise UsageError("name the entries to requeue (`coordinator dead list` shows their ids), or say --all")
    with connected(options.addr) as client:
        found = client.requeue(options.queue, options.entry_id)
    left = 0
    for one in found.letters:
        left += not one.requeued
        told = "requeued" if one.requeued else f"left: {one.reason}"
        line(f"{one.letter.entry_id} run={one.letter.run_id} task={one.letter.task_id}: {told}")
    missing = set(options.entry_id) - {one.letter.entry_id for one in found.letters}
    for entry_id in sorted(missing):
        line(f"{entry_id}: there is no such letter")
    return ExitStatus.FAILED if left or missing else ExitStatus.SUCCESS


def _fields(letter: pb.DeadLetter) -> dict[str, object]:
    return {
        "stream": letter.stream,
        "entry_id": letter.entry_id,
        "origin": letter.origin,
        "reason": letter.reason,
        "run_id": letter.run_id,
        "task_id": letter.task_id,
        "attempt": letter.attempt,
    }

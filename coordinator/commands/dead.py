"""`coordinator dead`: the entries that workers parked."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

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
            line(f"{_name(letter)} run={letter.run_id} task={letter.task_id}: {letter.reason}")
    if found.truncated:
        trouble("there are more: requeue some, or look at one queue by --queue")
    return ExitStatus.SUCCESS


def requeue(options: Namespace) -> int:
    """Returns the exit status: 1 when a letter was left. Raises UsageError and Unreachable."""
    if bool(options.letter) is options.all:
        raise UsageError("name what to requeue as `coordinator dead list` does, STREAM/ENTRY, or say --all")
    with connected(options.addr) as client:
        found = client.requeue(options.queue, options.letter)
    left = 0
    for one in found.letters:
        left += not one.requeued
        told = "requeued" if one.requeued else f"left: {one.reason}"
        line(f"{_name(one.letter)} run={one.letter.run_id} task={one.letter.task_id}: {told}")
    missing = _missing(options.letter, {_name(one.letter) for one in found.letters})
    return ExitStatus.FAILED if left or missing else ExitStatus.SUCCESS


def drop(options: Namespace) -> int:
    """Returns the exit status: 1 when a name is none. Raises UsageError and Unreachable."""
    if bool(options.letter) is (options.older_than is not None):
        raise UsageError("name what to drop as `coordinator dead list` does, STREAM/ENTRY, or say --older-than S")
    dropped: set[str] = set()
    with connected(options.addr) as client:
        while letters := client.drop(options.queue, options.letter, options.older_than).letters:
            for letter in letters:
                line(f"{_name(letter)} run={letter.run_id} task={letter.task_id}: dropped")
            dropped.update(map(_name, letters))
            if options.letter:
                break
    return ExitStatus.FAILED if _missing(options.letter, dropped) else ExitStatus.SUCCESS


def _missing(named: Sequence[str], found: AbstractSet[str]) -> bool:
    """Whether there is no such letter as one of those that were named; says which."""
    missing = sorted(set(named) - found)
    for name in missing:
        line(f"{name}: there is no such entry")
    return bool(missing)


def _name(letter: pb.DeadLetter) -> str:
    return f"{letter.stream}/{letter.entry_id}"


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

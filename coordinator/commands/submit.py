"""`coordinator submit`: gives tasks to a coordinator, and may wait for what becomes of them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from coordinator.commands.client import connected
from coordinator.commands.exits import ExitStatus, Unreachable
from coordinator.commands.output import json_line, trouble
from coordinator.commands.shown import outcome, state
from coordinator.commands.tasks_file import asked_for
from coordinator.commands.waiting import Watch
from coordinator.core.states import TaskState
from coordinator.pb import coordinator_pb2 as pb

_TASKS: Final = 500  # in one request
_BYTES: Final = 4 << 20


def submit(options: Namespace) -> int:
    """Returns the exit status. Raises UsageError and Unreachable."""
    tasks = asked_for(options)
    first, *others = _batches(tasks)
    with connected(options.addr) as client:
        client.submit(first)
        with _runs_named(tasks):
            for some in others:
                client.submit(some)
            watch = Watch(client, tasks)
            in_time = options.wait is None or watch.wait(options.wait)
    if options.wait is None:
        for task in tasks:
            json_line({"run_id": task.run_id, "task_id": task.task_id})
        return ExitStatus.SUCCESS
    found = [watch.known.get(key) for key in watch.keys]
    for (run_id, task_id), known in zip(watch.keys, found, strict=True):
        json_line(outcome(known) if known is not None else _unknown(run_id, task_id))
    if not in_time:
        trouble(f"not all tasks ended within {options.wait:g} s: `coordinator status` shows what becomes of them")
        return ExitStatus.WAIT_RAN_OUT
    failed = any(known is None or state(known) is TaskState.FAILED for known in found)
    return ExitStatus.FAILED if failed else ExitStatus.SUCCESS


@contextmanager
def _runs_named(tasks: Sequence[pb.NewTask]) -> Iterator[None]:
    """Where it ends in the middle, says by which run to find what was submitted: its id may have been made up here."""
    try:
        yield
    except (Unreachable, KeyboardInterrupt):
        runs = list(dict.fromkeys(task.run_id for task in tasks))
        more = f" and {len(runs) - 1} more runs" if len(runs) > 1 else ""
        trouble(f"tasks of run {runs[0]}{more} were submitted: `coordinator status --run-id` shows them")
        raise


def _unknown(run_id: str, task_id: str) -> dict[str, object]:
    """Of a task that the coordinator was not seen to have."""
    return {"run_id": run_id, "task_id": task_id, "state": None, "attempt": 0, "output": None, "error": ""}


def _batches(tasks: Sequence[pb.NewTask]) -> Iterator[list[pb.NewTask]]:
    """What goes into one request each."""
    batch: list[pb.NewTask] = []
    size = 0
    for task in tasks:
        size += len(task.input)
        if batch and (len(batch) == _TASKS or size > _BYTES):
            yield batch
            batch, size = [], len(task.input)
        batch.append(task)
    yield batch

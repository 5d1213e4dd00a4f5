"""How an execution ended, and what becomes of its task."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from coordinator.core import json_text
from coordinator.core.bounds import ERROR_CHARACTERS, ERROR_JSON_BYTES, LOGS_BYTES, OUTPUT_BYTES
from coordinator.core.states import TaskState


@dataclass(frozen=True, slots=True)
class Report:
    """`fence` 0 and an empty `owner` are not checked: the plain rules. `output` is JSON text."""

    run_id: str
    task_id: str
    attempt: int
    owner: str
    fence: int
    completed: bool
    terminal: bool
    output: bytes
    error: str
    error_json: bytes
    logs_json: bytes


@dataclass(frozen=True, slots=True)
class Standing:
    """A task's row, as far as reports are concerned."""

    state: TaskState
    attempt: int
    max_attempts: int
    owner: str
    fence: int
    traceparent: str = ""


class Misfit(Enum):
    """Why a report is not of the lease that its task is RUNNING under."""

    NO_TASK = "no_task"
    NOT_RUNNING = "not_running"
    FENCE = "fence"
    ATTEMPT = "attempt"
    OWNER = "owner"
    UNNAMED = "unnamed"  # it says nothing of who made it


class Ruling(Enum):
    """What a report does to its task."""

    STALE = auto()
    COMPLETE = auto()
    RETRY = auto()
    FAIL = auto()


@dataclass(frozen=True, slots=True)
class Ruled:
    """What a report does and, where it does nothing, why; `traceparent` is the task's."""

    ruling: Ruling
    misfit: Misfit | None = None
    traceparent: str = ""


def misfit(task: Standing | None, report: Report) -> Misfit | None:
    """None: the lease it was made under is the one that the task is RUNNING under.

    A lease that has expired, and that nobody took, still is that one: no other execution has begun.
    """
    if task is None:
        return Misfit.NO_TASK
    if task.state is not TaskState.RUNNING:
        return Misfit.NOT_RUNNING
    if report.fence and report.fence != task.fence:
        return Misfit.FENCE
    if report.attempt and report.attempt != task.attempt:
        return Misfit.ATTEMPT
    if report.owner and report.owner != task.owner:
        return Misfit.OWNER
    if not (report.fence or report.attempt or report.owner):
        return Misfit.UNNAMED
    return None


def rule(task: Standing, report: Report) -> Ruling:
    """Of a report that fits its task's lease."""
    if report.completed:
        return Ruling.COMPLETE
    if report.terminal or task.attempt >= task.max_attempts:
        return Ruling.FAIL
    return Ruling.RETRY


def admitted(report: Report) -> Report:
    """The report as it is stored. What is too large or no JSON costs the execution its result, never the task its end:
    were it refused, its entry would come back for ever.
    """
    kept = replace(
        report,
        output=(report.output or b"null") if report.completed else b"",
        error="" if report.completed else report.error.replace("\0", "\N{REPLACEMENT CHARACTER}")[:ERROR_CHARACTERS],
        error_json=_kept(report.error_json, b"{", ERROR_JSON_BYTES),
        logs_json=_kept(report.logs_json, b"[", LOGS_BYTES),
    )
    if not kept.completed:
        return kept
    if len(kept.output) > OUTPUT_BYTES:
        return _without_result(kept, f"OUTPUT_LIMIT: the worker reported {len(kept.output)} bytes of output")
    if (fault := json_text.fault(kept.output)) is not None:
        return _without_result(kept, f"INVALID_RESULT: the worker reported an output that is no JSON text: {fault}")
    return kept


def _without_result(report: Report, error: str) -> Report:
    return replace(report, completed=False, terminal=True, output=b"", error=error, error_json=b"")


def _kept(text: bytes, first: bytes, most: int) -> bytes:
    """A JSON text of the kind that begins so, or nothing."""
    return text if len(text) <= most and text.startswith(first) and json_text.fault(text) is None else b""

"""What became of a task: one pure function over the evidence.

A report is what a child says and may be forged; exit status, kernel usage and our own timers are facts, and facts win.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass, replace
from enum import Enum

from langserver.core.claims import STOPPED, Failure, Report, SecurityClaim
from langserver.core.outcome import ErrorKind

MIB = 1 << 20
SLACK_BYTES = 32 * MIB  # what a task may come to hold above its limit; more is never let be
# Of machine code, where the engine compiles. It is made before the seal and no limit of a task counts it, so it is no
# more than what a task may hold above its limit anyway.
CODE_BYTES = SLACK_BYTES

_LOST = "zygote lost: the process for this task died or could not be had; it is safe to try again"


class EndReason(Enum):
    """Why the server ended an execution itself; recorded before the kill."""

    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    DRAINED = "drained"
    BROKE_PROTOCOL = "broke protocol"
    LINGERED = "did not exit after its report"
    OVERGREW = "held more memory than its limit and the slack"


class Refusal(Enum):
    """The caller's or the server's fault: answered as a gRPC status, not as a failed task."""

    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    UNAVAILABLE = "UNAVAILABLE"


@dataclass(frozen=True, slots=True)
class Exit:
    """How a child ended, as the kernel says: exactly one of `code` and `signal` is set."""

    code: int | None
    signal: int | None
    cpu_seconds: float
    max_rss_bytes: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits in force for one task. `memory_bytes` is growth over the idle child; None: nothing enforces it."""

    timeout_seconds: float
    memory_bytes: int | None
    cpu_seconds: int | None
    output_bytes: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of an execution once its child is gone.

    `exit` is None when the zygote died and took the exit status with it. `jail_step` names the step whose exit code the
    child ended with, if it is one of theirs. `output_fault` says what is wrong with the report's JSON. `seen_bytes` is
    the growth, page tables included, at which the watch ended it; `ran_out`: the kernel did, its group was full.
    `code_bytes` is the memory that the engine has for machine code, 0 where it compiles nothing. `late`: its report
    was not there when its time was up.
    """

    runtime: str
    bounds: Bounds
    exit: Exit | None
    idle_rss_bytes: int = 0
    ended: EndReason | None = None
    late: bool = False
    sealed: bool = True
    bad_input: str | None = None
    broken: str | None = None
    report: Report | None = None
    output_fault: str | None = None
    jail_step: str | None = None
    seen_bytes: int = 0
    ran_out: bool = False
    code_bytes: int = 0

    @property
    def peak_bytes(self) -> int:
        """Growth over the idle child."""
        return max(self.seen_bytes, self.exit.max_rss_bytes - self.idle_rss_bytes) if self.exit else 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Exactly one of: a refusal with its message, a failure, or a success with its output."""

    refusal: Refusal | None = None
    message: str = ""
    failure: Failure | None = None
    report: Report | None = None
    events: tuple[SecurityClaim, ...] = ()


def verdict(evidence: Evidence) -> Verdict:
    """Judges one execution."""
    if evidence.ended is EndReason.CANCELLED:
        return _failed(ErrorKind.CANCELLED, "the caller went away")
    exit_ = evidence.exit
    if exit_ is None:
        if evidence.ended is EndReason.DRAINED:
            return _DRAINED
        return Verdict(Refusal.UNAVAILABLE, _LOST)
    if exit_.code == 0 and evidence.broken is None and not evidence.late:
        if evidence.bad_input is not None:
            return Verdict(Refusal.INVALID_ARGUMENT, evidence.bad_input)
        if evidence.report is not None and not _at_memory_limit(evidence):
            return _reported(evidence, evidence.report)
    if evidence.ended is EndReason.DRAINED:
        return _DRAINED
    if not evidence.sealed and evidence.ended in (None, EndReason.BROKE_PROTOCOL):  # till then it was our code alone
        return _failed(ErrorKind.INTERNAL, _jail_message(evidence, exit_))
    return _ended_badly(evidence, exit_)


def _ended_badly(evidence: Evidence, exit_: Exit) -> Verdict:
    """The child did not end with exit 0 and a whole report, or it used all its memory."""
    if _at_memory_limit(evidence):
        failed = _failed(ErrorKind.MEMORY_LIMIT, _memory_message(evidence.bounds), "MemoryError")
        return replace(_placed(failed, evidence, ErrorKind.MEMORY_LIMIT), events=_passed_limits(evidence))
    if evidence.ended is EndReason.TIMEOUT:
        limit = evidence.bounds.timeout_seconds
        failed = _failed(ErrorKind.TIMEOUT, f"the task ran longer than its limit of {limit:g} s")
        return _placed(failed, evidence, ErrorKind.USER_ERROR)
    if _used_its_cpu(evidence, exit_):
        failed = _failed(
            ErrorKind.CPU_LIMIT, f"the task used more than its limit of {evidence.bounds.cpu_seconds} s of CPU time"
        )
        return _placed(failed, evidence, ErrorKind.USER_ERROR)
    if exit_.signal == signal.SIGSYS:
        event = SecurityClaim("seccomp", "killed", "a system call that no honest program makes")
        failed = _failed(
            ErrorKind.SANDBOX_VIOLATION, "the kernel ended the task: it made a system call that is never allowed"
        )
        return replace(failed, events=(event,))
    if evidence.runtime == "js" and exit_.signal == signal.SIGTRAP and evidence.bounds.memory_bytes is not None:
        # V8 ends its own process with a trap when an allocation fails, often far below the limit (one large request).
        return _failed(ErrorKind.MEMORY_LIMIT, f"out of memory, probably: {_memory_message(evidence.bounds)}")
    if evidence.code_bytes and exit_.signal == signal.SIGSEGV and evidence.peak_bytes >= evidence.code_bytes * 9 // 10:
        # V8 knows no end of its memory for code and runs into the one that the seal has put there.
        size = f"{evidence.code_bytes // MIB} MiB"
        return _failed(
            ErrorKind.MEMORY_LIMIT, f"out of memory, probably: the task needed more than {size} of machine code"
        )
    return _failed(ErrorKind.CRASHED, _crash_message(evidence, exit_))


def _placed(failed: Verdict, evidence: Evidence, claimed: ErrorKind) -> Verdict:
    """The same, with the place that the child said its program was in. What became of the task is not its to say."""
    report = evidence.report
    if failed.failure is None or report is None or evidence.broken is not None:
        return failed
    said = next((each for each in report.failures[:1] if each.kind is claimed and each.line), None)
    if said is None:
        return failed
    hint = f"the program was in line {said.line} then"
    return replace(failed, failure=replace(failed.failure, traceback=said.traceback, line=said.line, hint=hint))


def _reported(evidence: Evidence, report: Report) -> Verdict:
    if report.failures:
        failure = report.failures[0]
        if failure.kind is ErrorKind.MEMORY_LIMIT and evidence.bounds.memory_bytes is not None:
            failure = replace(failure, message=_memory_message(evidence.bounds))  # a child does not know its limit
        return Verdict(failure=failure, report=report)
    if len(report.output) > evidence.bounds.output_bytes:
        return _failed(
            ErrorKind.OUTPUT_LIMIT,
            f"the result is {len(report.output)} bytes, its limit is {evidence.bounds.output_bytes}",
        )
    if evidence.output_fault is not None:
        return _failed(ErrorKind.CRASHED, f"the task's process sent a result that is no JSON: {evidence.output_fault}")
    return Verdict(report=report)


def _at_memory_limit(evidence: Evidence) -> bool:
    """Whether the kernel's peak reached the limit, less what its counters and a last refused request leave open."""
    if evidence.ran_out:
        return True
    limit = evidence.bounds.memory_bytes
    if limit is None:
        return False
    margin = max(4 * MIB if evidence.runtime == "js" else MIB, limit * 3 // 100)
    return evidence.peak_bytes >= limit - min(margin, limit // 4)  # of a tiny limit most must stay usable


def _passed_limits(evidence: Evidence) -> tuple[SecurityClaim, ...]:
    """What ended a task because the limits in its process did not hold it."""
    if evidence.ran_out:
        return (SecurityClaim("cgroup", "killed", "its control group was full, and its limits let it"),)
    if evidence.ended is not EndReason.OVERGREW:
        return ()
    detail = f"its memory was {evidence.seen_bytes // MIB} MiB, page tables included, and its limits let it"
    return (SecurityClaim("watch", "killed", detail),)


def _used_its_cpu(evidence: Evidence, exit_: Exit) -> bool:
    # Only the usage tells: where no filter forbids it a program can send itself any signal, and one that ignores
    # SIGXCPU is killed by the hard limit, one second later.
    limit = evidence.bounds.cpu_seconds
    if limit is None:
        return False
    if exit_.signal == signal.SIGXCPU or exit_.code == STOPPED:
        # The kernel sends it by its count of ticks, which may run ahead of the exact usage that it tells at the end.
        return exit_.cpu_seconds >= limit / 2
    return exit_.signal == signal.SIGKILL and evidence.ended is None and exit_.cpu_seconds >= limit


def _memory_message(bounds: Bounds) -> str:
    return f"the task needed more memory than its limit of {(bounds.memory_bytes or 0) // MIB} MiB"


def _jail_message(evidence: Evidence, exit_: Exit) -> str:
    if evidence.jail_step is not None:
        return f"the sandbox could not be set up: step {evidence.jail_step} failed; see `langserver doctor`"
    if evidence.broken is not None:
        return f"the task's process broke the protocol before it was sealed: {evidence.broken}"
    return f"the task's process died before it was sealed ({_how(exit_)})"


def _crash_message(evidence: Evidence, exit_: Exit) -> str:
    if evidence.broken is not None:
        return f"the task's process broke the protocol: {evidence.broken}"
    if evidence.ended is EndReason.LINGERED:
        return "the task's process did not exit after its report"
    if exit_.signal == signal.SIGKILL:
        return "the task's process was killed from outside: was the machine or container out of memory?"
    if exit_.signal is None and evidence.report is None:
        return f"the task's process exited without a report ({_how(exit_)})"
    return f"the task's process crashed ({_how(exit_)})"


def _how(exit_: Exit) -> str:
    if exit_.signal is None:
        return f"exit status {exit_.code}"
    try:
        return signal.Signals(exit_.signal).name
    except ValueError:
        return f"signal {exit_.signal}"


def _failed(kind: ErrorKind, message: str, type_: str = "") -> Verdict:
    return Verdict(failure=Failure(kind, message, type_))


_DRAINED = Verdict(Refusal.UNAVAILABLE, "draining: the server stopped before this task ended")

"""Who has won: one pure function over an attack and how its run ended. In doubt it is the attacker."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from langserver.core.outcome import ErrorKind
from langserver.core.verdict import MIB, Refusal
from langserver.sandbox.layers import POLICY, RLIMITS
from langserver.zygote.job import LogLine, Outcome
from tests.security.suite.attack import Attack, Ends, Judged

GRACE_SECONDS: Final = 2.0  # what may pass after the time limit until nothing is left of a task
GRACE_BYTES: Final = 32 * MIB
_ANSWER_BYTES: Final = 4 * MIB
_AT_LIMIT: Final = 0.97

# What a bug of the server, of an interpreter's wrapper or of an operating system's account leaves in a text.
_HOST_TEXT: Final = re.compile(
    r"site-packages|/usr/|/opt/|/home/|/root/|/tmp/|langserver[/.]|_runtime[/.]|RestrictedPython|py_mini_racer"
)

_FAULTS: Final = frozenset({ErrorKind.INTERNAL, ErrorKind.UNSPECIFIED})
_LIMITS: Final = frozenset({ErrorKind.TIMEOUT, ErrorKind.CPU_LIMIT, ErrorKind.MEMORY_LIMIT, ErrorKind.OUTPUT_LIMIT})
_REFUSALS: Final = frozenset({ErrorKind.POLICY_VIOLATION, ErrorKind.USER_ERROR})

_ADMITTED: Final[dict[Ends, frozenset[ErrorKind]]] = {
    Ends.ANYHOW: frozenset(ErrorKind) - _FAULTS,
    Ends.REFUSED: _REFUSALS | {ErrorKind.SANDBOX_VIOLATION, ErrorKind.SYNTAX_ERROR},
    Ends.OWN_ERROR: _REFUSALS | {ErrorKind.SANDBOX_VIOLATION, ErrorKind.SYNTAX_ERROR, ErrorKind.INVALID_RESULT},
    Ends.LIMIT: _REFUSALS | _LIMITS,
}
# The wall's own answer: the attack had come that far.
_ANSWERS: Final = _LIMITS | {ErrorKind.CRASHED}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended. A refusal is the answer of a server that cannot or will not run it; None and no `kind`: success.

    `seconds` is wall time until nothing was left of it, `peak_bytes` growth over an idle child.
    """

    refusal: Refusal | None
    kind: ErrorKind | None
    message: str
    traceback: str
    output: bytes
    log: tuple[str, ...]
    seconds: float
    peak_bytes: int

    @classmethod
    def of(cls, outcome: Outcome, lines: list[LogLine]) -> Ending:
        """From what the sandbox says of an execution and its log."""
        judged, usage = outcome.verdict, outcome.usage
        failure, report = judged.failure, judged.report
        return cls(
            refusal=judged.refusal,
            kind=failure.kind if failure else None,
            message=failure.message if failure else judged.message,
            traceback=failure.traceback if failure else "",
            output=report.output if report and not failure else b"",
            log=tuple(line.text for line in lines),
            seconds=usage.wall_seconds,
            peak_bytes=usage.peak_memory_bytes,
        )

    @property
    def succeeded(self) -> bool:
        """The task ran to its end and its result was accepted."""
        return self.refusal is None and self.kind is None


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of an attack: `won` says with what in hand, empty when it was contained; `ending` how, in short."""

    won: str
    ending: str
    answered: bool = False  # by the wall it ran into
    shaken: bool = False  # the machine's load or another attack may be the reason: to be tried again by itself


def judge(attack: Attack, ending: Ending, first: Ending | None, layers: frozenset[str]) -> Finding:
    """`first` is the run before, of an attack that is run twice; `layers` those it was run under."""
    said, answered = _in_short(ending), ending.kind in _ANSWERS
    if fault := _fault(ending) or _late(attack, ending):
        return Finding(fault, said, answered, shaken=True)
    won = _unbounded(attack, ending, layers) or _unsound(attack, ending, layers) or _in_hand(attack, ending, first)
    return Finding(won, said, answered)


def _in_short(ending: Ending) -> str:
    if ending.succeeded:
        return f"succeeded: {ending.output[:200].decode('utf-8', 'replace')}"
    kind = ending.refusal.name if ending.refusal else ending.kind.name if ending.kind else ""
    return f"{kind}: {ending.message[:200]}"


def _fault(ending: Ending) -> str:
    """What only a server in trouble answers."""
    if ending.refusal is Refusal.UNAVAILABLE:
        return f"the server lost it: {ending.message[:160]}"
    if ending.kind in _FAULTS:
        return f"a fault of the server: {ending.message[:160]}"
    return ""


def _late(attack: Attack, ending: Ending) -> str:
    if attack.limits and ending.seconds > attack.limits.timeout_seconds + GRACE_SECONDS:
        return f"took {ending.seconds:.1f} s, its limit is {attack.limits.timeout_seconds} s"
    return ""


def _unbounded(attack: Attack, ending: Ending, layers: frozenset[str]) -> str:
    size = sum(map(len, (ending.output, ending.message, ending.traceback, *ending.log)))
    if size > _ANSWER_BYTES:
        return f"an answer of {size / MIB:.1f} MiB"
    if attack.limits is None or RLIMITS not in layers:
        return ""
    peak, limit = ending.peak_bytes, attack.limits.memory_mb * MIB
    if peak > limit + GRACE_BYTES:
        return f"peak of {peak / MIB:.0f} MiB under a limit of {attack.limits.memory_mb} MiB"
    if ending.succeeded and peak >= limit * _AT_LIMIT:
        return f"success, with a peak of {peak / MIB:.0f} MiB at a limit of {attack.limits.memory_mb} MiB"
    return ""


def _unsound(attack: Attack, ending: Ending, layers: frozenset[str]) -> str:
    """An answer that does not fit what happened, or tells of the host."""
    if ending.kind is ErrorKind.SYNTAX_ERROR and attack.parses:
        return f"this source parses, yet: {ending.message[:120]}"
    if attack.believed and ending.kind and re.search(attack.believed, f"{ending.kind.name}: {ending.message}"):
        return f"it was believed: {ending.message[:120]}"
    if ending.kind is not None and ending.kind not in _ADMITTED[attack.ends]:
        return f"expected: {attack.ends}, got {ending.kind.name}: {ending.message[:120]}"
    if attack.ends is Ends.LIMIT and ending.kind is ErrorKind.USER_ERROR and "MemoryError" in ending.message:
        return f"out of memory is a limit, yet: {ending.message[:120]}"
    if POLICY in layers or attack.judged is Judged.SHOWS_HOST:
        shown = _HOST_TEXT.search(f"{ending.message}\n{ending.traceback}")
        if shown and shown.group() not in attack.code:
            return f"the error shows {shown.group()!r}"
    return ""


def _in_hand(attack: Attack, ending: Ending, first: Ending | None) -> str:
    if not ending.succeeded:
        return ""
    try:
        value = json.loads(ending.output, parse_constant=_no_constant)
    except RecursionError:
        return ""  # grammar and depth were the server's to check; no object that says anything is so deep
    except ValueError as error:
        return f"the result is not strict JSON: {error}"
    if attack.judged is Judged.SAME_TWICE:
        same = first is not None and first.output == ending.output
        return f"two fresh tasks agree: {ending.output[:120]!r}" if same else ""
    # A task may always choose its own result: these win only above.
    if attack.judged in (Judged.UPSETS, Judged.OUTLIVES):
        return ""
    escaped: Any = isinstance(value, dict) and value.get("escaped")
    return f"escaped: {json.dumps(value)[:200]}" if escaped else ""


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}")

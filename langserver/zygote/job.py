"""One task as the sandbox needs it, and all that becomes of it: values."""

from __future__ import annotations

from dataclasses import dataclass, field

from langserver.core.claims import SecurityClaim
from langserver.core.moments import Moments
from langserver.core.verdict import Bounds, Verdict
from langserver.wire.header import TaskHeader

_NO_MOMENTS = Moments()


@dataclass(frozen=True, slots=True)
class Job:
    """One task as the sandbox needs it: no names, no principal.

    `lower_memory_bytes` and `lower_cpu_seconds` are limits below those a child is sealed with, 0 where there are none.
    One that `makes_way` gets less of the cores than one that does not, where both want them.
    """

    runtime: str
    header: TaskHeader
    source: bytes = field(repr=False)
    input: bytes = field(repr=False)
    bounds: Bounds
    lower_memory_bytes: int = 0
    lower_cpu_seconds: int = 0
    makes_way: bool = False


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a task's log; `at_seconds` counts from its start, by the server's clock."""

    stream: str
    text: str
    at_seconds: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What an execution took. Wall and CPU time and memory are facts, compile and run time the child's word.

    V8 parses a script in the call that runs it: its compile time is 0, and part of its run time.
    """

    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0
    compile_seconds: float = 0.0
    run_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """All there is to say of an execution but its log lines, which went to whoever asked for them as they came."""

    verdict: Verdict
    logs_truncated: bool = False
    events: tuple[SecurityClaim, ...] = ()
    usage: Usage = Usage()
    moments: Moments = _NO_MOMENTS

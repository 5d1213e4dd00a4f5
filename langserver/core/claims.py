"""What a child can say of its task, as values. Their bytes are read and written in `wire.report`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from langserver.core.outcome import ErrorKind

# The exit code of a child that was told that its time is up.
STOPPED: Final = 62


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that is wrong with the task: the fields of the proto's `ExecuteError`."""

    kind: ErrorKind
    message: str
    type: str = ""
    traceback: str = ""
    line: int = 0
    column: int = 0
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The one report of a task. No failure means success; `output` is then JSON in UTF-8.

    Of a run there is at most one failure; of a validation there may be many, and `imports` names the modules the source
    imports. Times are what the child measured, in nanoseconds.
    """

    output: bytes = b""
    failures: tuple[Failure, ...] = ()
    imports: tuple[str, ...] = ()
    compile_ns: int = 0
    run_ns: int = 0


@dataclass(frozen=True, slots=True)
class LogClaim:
    """One log line of the program, without its newline."""

    stream: str
    text: str


@dataclass(frozen=True, slots=True)
class SecurityClaim:
    """A refusal that somebody saw: which layer, what it did, of what."""

    layer: str
    action: str
    detail: str

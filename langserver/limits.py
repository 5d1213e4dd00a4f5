"""Limits: what may be asked for, and what is in force for one task."""

from __future__ import annotations

from dataclasses import dataclass

from langserver.core.verdict import MIB, Bounds
from langserver.errors import RequestError

VALIDATE_SECONDS = 5  # what parsing and checking may take


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The server's profile: a default where the name says so, else default and ceiling in one.

    Memory is growth over the idle child. `cpu_seconds` 0 means as much CPU time as wall time.
    """

    default_timeout_seconds: int = 30
    max_timeout_seconds: int = 300
    memory_mb: int = 128
    cpu_seconds: int = 0
    output_bytes: int = 2 << 20
    log_bytes: int = 256 << 10
    code_bytes: int = 1 << 20
    input_bytes: int = 16 << 20

    @property
    def sealed_memory_bytes(self) -> int:
        """The growth that each child is sealed with."""
        return self.memory_mb * MIB

    @property
    def sealed_cpu_seconds(self) -> int:
        """The CPU time that each child is sealed with. Following the timeout, it is one second more: a busy program
        then ends as TIMEOUT by our timer, and by the kernel only if that fails.
        """
        return self.cpu_seconds or self.max_timeout_seconds + 1


@dataclass(frozen=True, slots=True)
class Asked:
    """The limits in a request; 0 means the default."""

    timeout_seconds: float = 0
    memory_mb: int = 0
    cpu_seconds: int = 0
    output_bytes: int = 0
    log_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Granted:
    """What is in force. `lower_*` are 0 where the child is sealed tightly enough already."""

    bounds: Bounds
    log_bytes: int
    lower_memory_bytes: int
    lower_cpu_seconds: int


def grant(asked: Asked, ceilings: Ceilings) -> Granted:
    """Request and ceiling together: above the ceiling is clamped. Raises RequestError for a negative limit."""
    for name in ("timeout_seconds", "memory_mb", "cpu_seconds", "output_bytes", "log_bytes"):
        if getattr(asked, name) < 0:
            raise RequestError(f"{name} is {getattr(asked, name)}: a limit is 0 (the default) or more")
    timeout = min(asked.timeout_seconds or ceilings.default_timeout_seconds, ceilings.max_timeout_seconds)
    memory_mb = _clamp(asked.memory_mb, ceilings.memory_mb)
    cpu_seconds = _clamp(asked.cpu_seconds, ceilings.sealed_cpu_seconds)
    output_bytes = _clamp(asked.output_bytes, ceilings.output_bytes)
    return Granted(
        bounds=Bounds(
            timeout_seconds=timeout,
            memory_bytes=memory_mb * MIB,
            cpu_seconds=cpu_seconds,
            output_bytes=output_bytes,
        ),
        log_bytes=_clamp(asked.log_bytes, ceilings.log_bytes),
        lower_memory_bytes=memory_mb * MIB if memory_mb < ceilings.memory_mb else 0,
        lower_cpu_seconds=cpu_seconds if cpu_seconds < ceilings.sealed_cpu_seconds else 0,
    )


def _clamp(asked: int, ceiling: int) -> int:
    return min(asked or ceiling, ceiling)

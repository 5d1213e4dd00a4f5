"""Layer `rlimits`: what the kernel counts. Every value is set soft and hard, and read back."""

from __future__ import annotations

import ctypes
import resource
from dataclasses import dataclass
from typing import Final

from langserver.sandbox.errors import ReadBackError
from langserver.sandbox.proc import Proc

_STACK_BYTES: Final = 8 << 20

# The last two are what an operator may have raised for the server: a task could take back its niceness, or become a
# real-time process, which leaves no core to others (setrlimit(2)).
_EARLY: Final = (
    (resource.RLIMIT_CORE, 0),
    (resource.RLIMIT_FSIZE, 0),
    (resource.RLIMIT_MEMLOCK, 0),
    (resource.RLIMIT_MSGQUEUE, 0),
    (resource.RLIMIT_NICE, 0),
    (resource.RLIMIT_RTPRIO, 0),
)

# After the runtime is awake: a V8 isolate starts one thread and opens /dev/urandom, and landlock reads itself back with
# an open. From here on no descriptor can be made, not even in the place of a closed one; open ones go on working.
# The stack is as long as it may be (see `set_zygote`) and grows no more: the kernel compares each mapping of a stack
# with its limit, not their sum, and one that is cut by munmap would be two that grow, which RLIMIT_DATA does not count.
_LATE: Final = (
    (resource.RLIMIT_STACK, 0),
    (resource.RLIMIT_NPROC, 0),
    (resource.RLIMIT_NOFILE, 0),
)

# A child whose task asks for less than it is sealed with may have that lowered by its zygote at the same moment.
_TRIES: Final = 3

_ZYGOTE: Final = (
    (resource.RLIMIT_CORE, 0),
    (resource.RLIMIT_MEMLOCK, 0),
    (resource.RLIMIT_MSGQUEUE, 0),
    (resource.RLIMIT_STACK, _STACK_BYTES),
)


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """The limits of one child.

    `memory_ceiling` is absolute, in bytes: of the address space (python) or of private writable memory (js).
    `cpu_seconds` counts from the fork. None leaves what the zygote has. `door` leads into the control group that bounds
    it (langserver.sandbox.cgroup), None into no other than the zygote's.
    """

    memory_ceiling: int | None
    cpu_seconds: int | None
    door: int | None = None


def memory_resource(runtime: str) -> int:
    """Which limit bounds the memory of a runtime.

    Never RLIMIT_AS on V8: it reserves more than a terabyte, and lowering AS switches RLIMIT_DATA off.
    """
    return resource.RLIMIT_DATA if runtime == "js" else resource.RLIMIT_AS


def set_early(limits: ChildLimits) -> None:
    """What can be set before any runtime is awake. Raises OSError, ValueError or ReadBackError."""
    for kind, value in _EARLY:
        _lower(kind, value, value)
    if limits.cpu_seconds is not None:
        # Equal limits would give SIGKILL at once; SIGXCPU comes first, and one second later what ignores it dies.
        _lower(resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1)


def set_memory(runtime: str, limits: ChildLimits) -> None:
    """The limit of memory. Raises OSError, ValueError or ReadBackError."""
    if limits.memory_ceiling is not None:
        _lower(memory_resource(runtime), limits.memory_ceiling, limits.memory_ceiling)


def set_late() -> None:
    """No process, thread or descriptor any more, and no more stack. Raises OSError, ValueError or ReadBackError."""
    for kind, value in _LATE:
        _lower(kind, value, value)


def set_zygote(proc: Proc) -> None:
    """What zygote and children have in common. Raises OSError, ValueError or ReadBackError."""
    for kind, value in _ZYGOTE:
        _lower(kind, value, value)
    # One page at its far end makes the mapping of the stack whole, here and in every child: theirs can grow no more.
    longest, _ = resource.getrlimit(resource.RLIMIT_STACK)
    page = resource.getpagesize()
    ctypes.c_char.from_address(proc.stack_end() - longest // page * page).value = b"\0"


def _lower(kind: int, soft: int, hard: int) -> None:
    if soft < 0 or hard < 0:  # setrlimit would take it for "no limit"
        raise ValueError(f"limit {kind} can't be {soft}")
    for _ in range(_TRIES):
        present = resource.getrlimit(kind)
        wanted = tighter((soft, hard), present)  # a tighter limit of the operator stays
        try:
            resource.setrlimit(kind, wanted)
        except ValueError:  # CPython's name for EPERM: it was lowered from outside in between
            continue
        found = resource.getrlimit(kind)
        if tighter(wanted, found) != found:
            raise ReadBackError(f"limit {kind} is {found}, not {wanted}")
        return
    raise ReadBackError(f"limit {kind} can't be lowered")


def tighter(wanted: tuple[int, int], present: tuple[int, int]) -> tuple[int, int]:
    """The tighter one of two limits, soft and hard each."""
    soft, hard = (
        one if other == resource.RLIM_INFINITY else min(one, other) for one, other in zip(wanted, present, strict=True)
    )
    return soft, hard

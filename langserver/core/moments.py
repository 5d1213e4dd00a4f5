"""When an execution came from one phase to the next, by the server's own clock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moments:
    """Of the execution's last child, in seconds of the loop's clock; None: it did not come so far.

    `sealed`, `started` and `reported` are when the server heard of it: what a child says of times is not asked.
    """

    spawned: float | None = None
    sealed: float | None = None
    started: float | None = None
    reported: float | None = None


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of an execution."""

    name: str
    begin: float
    end: float


def phases(came: float, admitted: float, moments: Moments, ended: float) -> list[Phase]:
    """From the moment at which a task came to its end, without gaps. The phase in which it ended is the last one."""
    ends = (
        ("queue", admitted),
        ("spawn", moments.spawned),
        ("seal", moments.sealed),
        ("compile", moments.started),
        ("run", moments.reported),
        ("report", ended),
    )
    found: list[Phase] = []
    begin = came
    for name, heard in ends:
        end = ended if heard is None else min(max(heard, begin), ended)
        found.append(Phase(name, begin, end))
        if heard is None:
            break
        begin = end
    return found

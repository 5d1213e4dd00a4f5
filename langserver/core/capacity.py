"""How many tasks may run at once so that all of them, at their limits together, fit into the memory that there is."""

from __future__ import annotations

from dataclasses import dataclass

from langserver.core.verdict import MIB

# Of the memory; the rest is for what is not counted: page tables and buffers of the kernel, what callers send, and
# what a child takes between two looks of the watch.
USABLE_PERCENT = 90


@dataclass(frozen=True, slots=True)
class Room:
    """Memory that may not be exceeded, in bytes, and what sets it."""

    size: int
    where: str

    @property
    def usable(self) -> int:
        """What is given away of it."""
        return self.size * USABLE_PERCENT // 100


@dataclass(frozen=True, slots=True)
class Needs:
    """Bytes at worst: the server, all zygotes, one more waiting child in each runtime, one more running task."""

    server: int
    zygotes: int
    waiting: int
    task: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Tasks at once, and waiting children of each runtime.

    With `waiting_follows` these are as many as that, but no more than tasks run at once.
    """

    tasks: int
    waiting: int
    waiting_follows: bool


@dataclass(frozen=True, slots=True)
class Capacity:
    """What fits. `tasks` is 0 where not even one does."""

    wanted: Wanted
    room: Room
    needs: Needs
    tasks: int
    waiting: int

    @property
    def is_lowered(self) -> bool:
        """Whether fewer tasks run than was wanted."""
        return self.tasks < self.wanted.tasks

    @property
    def total(self) -> int:
        """Bytes at worst, of one task where none fits."""
        return _total(max(self.tasks, 1), self.waiting, self.needs)

    def account(self) -> str:
        """The sum, for people."""
        needs, tasks = self.needs, max(self.tasks, 1)
        return (
            f"{tasks} x {_mib(needs.task)} for tasks, {self.waiting} x {_mib(needs.waiting)} for waiting children, "
            f"{_mib(needs.zygotes)} for zygotes and {_mib(needs.server)} for the server are {_mib(self.total)}; "
            f"{self.room.usable // MIB} MiB may be used, {USABLE_PERCENT} % of the {self.room.size // MIB} MiB that "
            f"{self.room.where} allows"
        )


def capacity(room: Room, needs: Needs, wanted: Wanted) -> Capacity:
    """As many tasks as are wanted, or as fit."""
    for tasks in range(wanted.tasks, 0, -1):
        waiting = _waiting(wanted, tasks)
        if _total(tasks, waiting, needs) <= room.usable:
            return Capacity(wanted, room, needs, tasks, waiting)
    return Capacity(wanted, room, needs, 0, _waiting(wanted, 1))


def _waiting(wanted: Wanted, tasks: int) -> int:
    return min(wanted.waiting, tasks) if wanted.waiting_follows else wanted.waiting


def _total(tasks: int, waiting: int, needs: Needs) -> int:
    return needs.server + needs.zygotes + waiting * needs.waiting + tasks * needs.task


def _mib(size: int) -> str:
    return f"{-(-size // MIB)} MiB"

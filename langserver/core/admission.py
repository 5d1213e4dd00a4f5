"""May a task run now, wait, or not at all: slots, a bounded queue, deadlines. Whose turn it is says `core.fairness`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum, auto

from langserver.core.fairness import Shares, Tenant, Whose

_FIRST_GUESS_SECONDS = 0.1
_SMOOTHING = 0.2
_RETRY_SECONDS = (0.05, 10.0)


class Answer(Enum):
    """What becomes of an offer."""

    RUN = auto()
    WAIT = auto()
    FULL = auto()


@dataclass(frozen=True, slots=True)
class Freed:
    """What a free slot leads to: the tickets that run now, and those whose deadline has passed while they waited."""

    run: tuple[Hashable, ...] = ()
    expired: tuple[Hashable, ...] = ()


_NOTHING = Freed()


@dataclass(frozen=True, slots=True)
class Offered:
    """What became of an offer, the ticket that had to give up its place in the queue for it, if one had to, and what
    became of other tickets, which had waited for a slot that was kept until now.
    """

    answer: Answer
    evicted: Hashable | None = None
    freed: Freed = _NOTHING


@dataclass(frozen=True, slots=True)
class _Held:
    """A slot: whose, since when, and whether its task gives way on the cores."""

    tenant: Tenant
    began: float
    makes_way: bool


_RUN = Offered(Answer.RUN)


@dataclass(slots=True)
class Admission:
    """Gives `slots` to tickets; at most `queue` wait. Times are monotonic seconds.

    While a ticket waits at most one slot is idle, and only for somebody who is expected back. Tickets of one principal
    and tenant run in the order they came. A ticket is any hashable value the shell chooses, another one each time; it
    is never looked into.
    """

    slots: int
    queue: int
    _running: dict[Hashable, _Held] = field(default_factory=dict)
    _waiting: dict[Hashable, Tenant] = field(default_factory=dict)
    _shares: Shares = field(default_factory=Shares)
    _typical_seconds: float = _FIRST_GUESS_SECONDS

    @property
    def running(self) -> int:
        """Slots in use."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Tickets in the queue."""
        return len(self._waiting)

    def offer(self, ticket: Hashable, whose: Whose, deadline: float | None, now: float) -> Offered:
        """Takes a slot for `ticket`, or a place in the queue until `deadline`, or says that both are full.

        In a full queue a ticket takes the place of the newest one of whoever has more places than its own caller.
        """
        tenant = self._shares.enter(whose, now)
        if not self._waiting and self._may_begin(tenant, now):
            self._begin(ticket, tenant, now)
            return _RUN
        freed = _NOTHING
        if len(self._running) < self.slots:  # one is kept, perhaps for this ticket, or was kept until now
            self._join(ticket, tenant, deadline)
            freed = self._fill(now)
            if ticket in self._running:
                others = tuple(one for one in freed.run if one != ticket)
                return Offered(Answer.RUN, freed=Freed(others, freed.expired))
            if len(self._waiting) <= self.queue:
                return Offered(Answer.WAIT, freed=freed)
            self._leave(ticket, tenant)
            tenant = self._shares.enter(whose, now)
        evicted = None
        if len(self._waiting) >= self.queue:
            crowding = self._shares.crowding(tenant) if self.queue else None
            if crowding is None:
                self._shares.forget_unused(tenant)
                return Offered(Answer.FULL, freed=freed)
            fullest, evicted = crowding
            self._leave(evicted, fullest)
        self._join(ticket, tenant, deadline)
        return Offered(Answer.WAIT, evicted, freed)

    def withdraw(self, ticket: Hashable) -> bool:
        """Takes a waiting ticket out; False when it does not wait (any more)."""
        tenant = self._waiting.get(ticket)
        if tenant is None:
            return False
        self._leave(ticket, tenant)
        return True

    def release(self, ticket: Hashable, now: float) -> Freed:
        """Gives back the slot that `ticket` holds."""
        held = self._running.pop(ticket)
        self._typical_seconds += _SMOOTHING * (now - held.began - self._typical_seconds)
        self._shares.end(held.tenant, held.began, now)
        return self._fill(now)

    @property
    def keeps_a_slot(self) -> bool:
        """Whether a slot is free while tickets wait. Then `look` again: it is kept for a while only."""
        return bool(self._waiting) and len(self._running) < self.slots

    def look(self, now: float) -> Freed:
        """What time alone has changed."""
        return self._fill(now)

    def makes_way(self, ticket: Hashable) -> bool:
        """Whether the task of `ticket`, which holds a slot, shall leave the cores to those of other callers."""
        return self._running[ticket].makes_way

    def retry_after_seconds(self) -> float:
        """When a refused caller may expect a place: the time until one of his own tasks gets a slot."""
        low, high = _RETRY_SECONDS
        return min(high, max(low, self._typical_seconds * max(1, self._shares.competing) / self.slots))

    def _fill(self, now: float) -> Freed:
        run: list[Hashable] = []
        expired: list[Hashable] = []
        while self._waiting and len(self._running) < self.slots:
            tenant, ticket = self._shares.next(now)
            deadline = tenant.tickets[ticket]
            if deadline is not None and deadline <= now:
                self._leave(ticket, tenant)
                expired.append(ticket)
            elif not self._may_begin(tenant, now):
                break  # whoever has fewest running has some
            else:
                self._begin(ticket, tenant, now)  # first, so that whoever has no other stays where he is
                self._leave(ticket, tenant)
                run.append(ticket)
        return Freed(tuple(run), tuple(expired))

    def _may_begin(self, tenant: Tenant, now: float) -> bool:
        free = self.slots - len(self._running)
        if free != 1 or self.slots == 1 or not self.queue:  # without a queue, who does not run now never does
            return free > 0
        return not self._shares.leaves_last_slot(tenant, now)

    def _begin(self, ticket: Hashable, tenant: Tenant, now: float) -> None:
        self._running[ticket] = _Held(tenant, now, self._shares.makes_way(tenant, now))
        self._shares.begin(tenant, now)

    def _join(self, ticket: Hashable, tenant: Tenant, deadline: float | None) -> None:
        self._waiting[ticket] = tenant
        self._shares.join(tenant, ticket, deadline)

    def _leave(self, ticket: Hashable, tenant: Tenant) -> None:
        del self._waiting[ticket]
        self._shares.leave(tenant, ticket)

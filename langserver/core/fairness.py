"""Who is next among those who wait, and who has more than his share of the queue.

Callers (principals) share the slots evenly; a principal's tenants share what is his. What is shared is the time for
which slots are held: tasks cannot be interrupted, so whoever has longer ones gets fewer of them.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Hashable
from typing import NamedTuple, TypeVar

# A task that is over at once has cost a process too, and who sends nothing but such shall not always go first.
LEAST_SECONDS = 0.001
TENANTS = 64  # of one principal, by name; what comes under further names shares one place
REMEMBERED = 256  # principals who do nothing now, and how much they had
# What somebody had above others counts for so long and no longer: he may have had it while nobody else wanted it, and
# others who come by turns would keep him from every slot until they have had as much. And for so long somebody who has
# nothing to do now is expected back.
HORIZON_SECONDS = 60.0


class Whose(NamedTuple):
    """A ticket's principal and his tenant. Who has named no tenant is the tenant without a name."""

    principal: str
    tenant: str = ""


class _Share:
    """What somebody has of slots and queue. Times are monotonic seconds."""

    __slots__ = ("_ended", "_starts", "left", "running", "waiting")

    def __init__(self) -> None:
        self.running = 0
        self.waiting = 0
        self._ended = 0.0  # slot-seconds of tasks that have ended, on the scale of whoever he competes with
        self._starts = 0.0  # sum of the moments at which those that run began
        self.left = -math.inf  # when a task of his ended last

    @property
    def active(self) -> bool:
        """Whether any task of his runs or waits."""
        return bool(self.running or self.waiting)

    def expected(self, now: float) -> bool:
        """Whether he has nothing to do, but had a moment ago."""
        return not self.active and now - self.left <= HORIZON_SECONDS

    def used(self, now: float) -> float:
        """Slot-seconds, running tasks included."""
        return self._ended + self.running * now - self._starts

    def lift(self, level: float) -> None:
        """Nobody saves up for later what he did not use: he begins where those are who did."""
        self._ended = max(self._ended, level)

    def forgive(self, level: float, now: float) -> None:
        """What he had above `level` does not count any more."""
        self._ended -= max(0.0, self.used(now) - level)

    def forgive_all(self) -> None:
        """As `forgive`, where there is nobody whom he could be compared with."""
        self._ended = 0.0

    def begin(self, now: float) -> None:
        """A task of his takes a slot."""
        self.running += 1
        self._starts += now

    def end(self, began: float, now: float) -> None:
        """A task of his gives one back."""
        self.running -= 1
        self._starts = self._starts - began if self.running else 0.0  # no error of rounding stays
        self._ended += max(now - began, LEAST_SECONDS)
        self.left = now


class Tenant(_Share):
    """A part of a principal's share, with the tickets that wait in it: each with its deadline, in their order."""

    __slots__ = ("principal", "tickets")

    def __init__(self, principal: Principal) -> None:
        super().__init__()
        self.principal = principal
        self.tickets: OrderedDict[Hashable, float | None] = OrderedDict()


class Principal(_Share):
    """A caller."""

    __slots__ = ("name", "tenants")

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.tenants: dict[str | None, Tenant] = {}  # None: those under further names

    def tenant(self, name: str) -> Tenant:
        """The one of that name; those who do nothing are forgotten for new ones."""
        found = self.tenants.get(name)
        if found is not None:
            return found
        place: str | None = name
        if len(self.tenants) - (None in self.tenants) >= TENANTS:
            idle = [known for known, one in self.tenants.items() if known is not None and not one.active]
            if idle:
                del self.tenants[idle[0]]
            else:
                place = None
        return self.tenants.setdefault(place, Tenant(self))

    def forget_tenants(self, now: float) -> None:
        """But those who are expected."""
        self.tenants = {place: one for place, one in self.tenants.items() if one.expected(now)}


class Shares:
    """Everybody's. Bounded: who does nothing is forgotten, the longest idle first."""

    def __init__(self) -> None:
        self._active: dict[str, Principal] = {}
        self._idle: OrderedDict[str, Principal] = OrderedDict()

    @property
    def known(self) -> int:
        """Principals that are remembered."""
        return len(self._active) + len(self._idle)

    @property
    def competing(self) -> int:
        """Principals with tasks that run or wait."""
        return len(self._active)

    def enter(self, whose: Whose, now: float) -> Tenant:
        """The share that a ticket of his belongs to; the ticket then begins or joins at once."""
        principal = self._active.get(whose.principal)
        if principal is None:
            principal = self._idle.pop(whose.principal, None) or Principal(whose.principal)
            principal.forget_tenants(now)
            if self._active:
                principal.lift(min(one.used(now) for one in self._active.values()))
            self._active[whose.principal] = principal
        tenant = principal.tenant(whose.tenant)
        if not tenant.active and principal.active:
            tenant.lift(min(one.used(now) for one in principal.tenants.values() if one.active))
        return tenant

    def leaves_last_slot(self, tenant: Tenant, now: float) -> bool:
        """Whether the last slot that is free stays so for somebody who is expected, since `tenant` has others."""
        principal = tenant.principal
        return bool(principal.running) and (
            self._somebody_is_expected(now)
            or (bool(tenant.running) and any(one.expected(now) for one in principal.tenants.values()))
        )

    def makes_way(self, tenant: Tenant, now: float) -> bool:
        """Whether the next task of `tenant` gives way on the cores: he has others, and is not the only one.

        Slots are more than cores: one beside a flood is worth what the flood leaves of them.
        """
        principal = tenant.principal
        if not principal.running:
            return False
        if len(self._active) > 1 or self._somebody_is_expected(now):
            return True
        return bool(tenant.running) and any(
            one is not tenant and (one.active or one.expected(now)) for one in principal.tenants.values()
        )

    def begin(self, tenant: Tenant, now: float) -> None:
        """A task takes a slot."""
        tenant.begin(now)
        tenant.principal.begin(now)

    def end(self, tenant: Tenant, began: float, now: float) -> None:
        """A task that took its slot at `began` gives it back."""
        tenant.end(began, now)
        tenant.principal.end(began, now)
        self._settle(tenant.principal)

    def join(self, tenant: Tenant, ticket: Hashable, deadline: float | None) -> None:
        """A ticket waits, behind the others of its tenant."""
        tenant.tickets[ticket] = deadline
        tenant.waiting += 1
        tenant.principal.waiting += 1

    def leave(self, tenant: Tenant, ticket: Hashable) -> None:
        """A ticket waits no more."""
        del tenant.tickets[ticket]
        tenant.waiting -= 1
        tenant.principal.waiting -= 1
        self._settle(tenant.principal)

    def next(self, now: float) -> tuple[Tenant, Hashable]:
        """The ticket whose turn it is; one waits. It stays where it is.

        Whoever has fewest tasks running goes first, so that each has as many as any other who wants them; among
        equals whoever has used least.
        """
        principal = _first(self._active.values(), now)
        tenant = _first([one for one in principal.tenants.values() if one.active], now)
        return tenant, next(iter(tenant.tickets))

    def crowding(self, tenant: Tenant) -> tuple[Tenant, Hashable] | None:
        """The ticket that gives its place in a full queue to one of `tenant`: the newest of whoever has more places
        than `tenant` would then have. None when nobody has.
        """
        principal = tenant.principal
        most = max(self._active.values(), key=_waiting)
        if most.waiting <= principal.waiting + 1:
            most, least = principal, tenant.waiting + 1  # among his own tenants
        else:
            least = 0
        fullest = max(most.tenants.values(), key=_waiting)
        return (fullest, next(reversed(fullest.tickets))) if fullest.waiting > least else None

    def forget_unused(self, tenant: Tenant) -> None:
        """What `enter` gave was not needed."""
        self._settle(tenant.principal)

    def _somebody_is_expected(self, now: float) -> bool:
        return any(one.expected(now) for one in reversed(self._idle.values()))

    def _settle(self, principal: Principal) -> None:
        if principal.active:
            return
        for tenant in principal.tenants.values():
            tenant.forgive_all()
        del self._active[principal.name]
        self._idle[principal.name] = principal
        if len(self._idle) > REMEMBERED:
            self._idle.popitem(last=False)
        if not self._active:
            for one in self._idle.values():
                one.forgive_all()


_AnyShare = TypeVar("_AnyShare", bound=_Share)


def _first(active: Collection[_AnyShare], now: float) -> _AnyShare:
    """Of those who wait; all who run tasks or wait are compared with."""
    level = min(one.used(now) for one in active) + HORIZON_SECONDS
    for one in active:
        one.forgive(level, now)
    return min((one for one in active if one.waiting), key=lambda one: (one.running, one.used(now), one.left))


def _waiting(share: _Share) -> int:
    return share.waiting

"""Where tasks wait for a slot: the asynchronous shell around `core.admission`."""

from __future__ import annotations

import asyncio

from langserver.core.admission import Admission, Answer, Freed
from langserver.core.fairness import Whose

_LOOK_SECONDS = 1.0


class Draining(Exception):
    """The server takes nothing new."""


class Expired(Exception):
    """The caller's deadline passed before there was a slot."""


class Full(Exception):
    """No slot and no place to wait, or none any more; worth another try after `retry_seconds`."""

    def __init__(self, retry_seconds: float) -> None:
        super().__init__(retry_seconds)
        self.retry_seconds = retry_seconds


class Ticket:
    """One call: it waits in the queue, then has a slot."""

    def __init__(self) -> None:
        self.called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Kept beside the future, since that may be cancelled in the very turn in which the slot is given.
        self.has_slot = False
        self.makes_way = False  # on the cores, for the tasks of other callers

    def refuse(self, why: Exception) -> None:
        if not self.called.done():
            self.called.set_exception(why)


class Gate:
    """Lets `slots` calls in at a time; at most `queue` wait, in `places`. Both are shared by whose they are."""

    def __init__(self, slots: int, queue: int) -> None:
        self._admission = Admission(slots, queue)
        self.slots = slots
        self.places = queue
        self._queued: set[Ticket] = set()
        self._draining = False
        self._timer: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def running(self) -> int:
        """Slots in use."""
        return self._admission.running

    @property
    def waiting(self) -> int:
        """Calls in the queue."""
        return self._admission.waiting

    async def enter(self, whose: Whose, deadline: float | None) -> Ticket:
        """Takes a slot, which `leave` must give back. `deadline` is a moment of the loop's clock.

        Raises Draining, Full, Expired.
        """
        now = asyncio.get_running_loop().time()
        if self._draining:
            raise Draining
        if deadline is not None and deadline <= now:
            raise Expired
        ticket = Ticket()
        offered = self._admission.offer(ticket, whose, deadline, now)
        self._tell(offered.freed)
        if offered.evicted is not None:
            _ticket(offered.evicted).refuse(Full(self._admission.retry_after_seconds()))
        self._look_again()
        match offered.answer:
            case Answer.FULL:
                raise Full(self._admission.retry_after_seconds())
            case Answer.RUN:
                self._empty.clear()
                ticket.makes_way = self._admission.makes_way(ticket)
            case Answer.WAIT:
                await self._wait(ticket)
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """Gives a slot back."""
        self._tell(self._admission.release(ticket, asyncio.get_running_loop().time()))
        self._look_again()
        if not self._admission.running:
            self._empty.set()

    def _tell(self, freed: Freed) -> None:
        for called in map(_ticket, freed.run):
            called.has_slot = True
            called.makes_way = self._admission.makes_way(called)
            if not called.called.done():
                called.called.set_result(None)
        for late in map(_ticket, freed.expired):
            late.refuse(Expired())

    def _look_again(self) -> None:
        """Soon, while a slot is kept for somebody: that ends by time alone."""
        if self._admission.keeps_a_slot and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_LOOK_SECONDS, self._look)

    def _look(self) -> None:
        self._timer = None
        self._tell(self._admission.look(asyncio.get_running_loop().time()))
        self._look_again()

    def drain(self) -> None:
        """Lets nobody in from now on, and sends away who waits."""
        self._draining = True
        for ticket in self._queued:
            if self._admission.withdraw(ticket):
                ticket.refuse(Draining())

    async def wait_until_empty(self) -> None:
        """Returns when no slot is in use."""
        await self._empty.wait()

    async def _wait(self, ticket: Ticket) -> None:
        self._queued.add(ticket)
        try:
            await ticket.called
        except asyncio.CancelledError:
            if ticket.has_slot:
                self.leave(ticket)
            else:
                self._admission.withdraw(ticket)
            raise
        finally:
            self._queued.discard(ticket)


def _ticket(ticket: object) -> Ticket:
    assert isinstance(ticket, Ticket)  # nothing else is offered
    return ticket

"""Where tasks wait for a slot: the asynchronous shell around `core.admission`."""

from __future__ import annotations

import asyncio

from langserver.core.admission import Admission, Answer


class Draining(Exception):
    """The server takes nothing new."""


class Expired(Exception):
    """The caller's deadline passed before there was a slot."""


class Full(Exception):
    """No slot and no place to wait; worth another try after `retry_seconds`."""

    def __init__(self, retry_seconds: float) -> None:
        super().__init__(retry_seconds)
        self.retry_seconds = retry_seconds


class _Ticket:
    """One caller in the queue."""

    def __init__(self) -> None:
        self.called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Kept beside the future, since that may be cancelled in the very turn in which the slot is given.
        self.has_slot = False

    def refuse(self, why: Exception) -> None:
        if not self.called.done():
            self.called.set_exception(why)


class Gate:
    """Lets `slots` callers in at a time, in the order they came; at most `queue` wait, in `places`."""

    def __init__(self, slots: int, queue: int) -> None:
        self._admission = Admission(slots, queue)
        self.slots = slots
        self.places = queue
        self._queued: set[_Ticket] = set()
        self._draining = False
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def running(self) -> int:
        """Slots in use."""
        return self._admission.running

    @property
    def waiting(self) -> int:
        """Callers in the queue."""
        return self._admission.waiting

    async def enter(self, deadline: float | None) -> None:
        """Takes a slot, which `leave` must give back. `deadline` is a moment of the loop's clock.

        Raises Draining, Full, Expired.
        """
        if self._draining:
            raise Draining
        if deadline is not None and deadline <= asyncio.get_running_loop().time():
            raise Expired
        ticket = _Ticket()
        match self._admission.offer(ticket, deadline):
            case Answer.FULL:
                raise Full(self._admission.retry_after_seconds())
            case Answer.RUN:
                self._empty.clear()
            case Answer.WAIT:
                await self._wait(ticket)

    def leave(self, held_seconds: float) -> None:
        """Gives a slot back."""
        freed = self._admission.release(asyncio.get_running_loop().time(), held_seconds)
        for ticket in freed.run:
            assert isinstance(ticket, _Ticket)
            ticket.has_slot = True
            if not ticket.called.done():
                ticket.called.set_result(None)
        for ticket in freed.expired:
            assert isinstance(ticket, _Ticket)
            ticket.refuse(Expired())
        if not self._admission.running:
            self._empty.set()

    def drain(self) -> None:
        """Lets nobody in from now on, and sends away who waits."""
        self._draining = True
        for ticket in self._queued:
            if self._admission.withdraw(ticket):
                ticket.refuse(Draining())

    async def wait_until_empty(self) -> None:
        """Returns when no slot is in use."""
        await self._empty.wait()

    async def _wait(self, ticket: _Ticket) -> None:
        self._queued.add(ticket)
        try:
            await ticket.called
        except asyncio.CancelledError:
            if ticket.has_slot:
                self.leave(0.0)
            else:
                self._admission.withdraw(ticket)
            raise
        finally:
            self._queued.discard(ticket)

"""The owner of one execution: gets it a child, sees it through, ends it, and tries again where nothing was lost.

It is a task of its own, never the RPC handler: whoever wants it to end says so with `end` and waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from langserver.core.claims import Failure
from langserver.core.forms import Shelf
from langserver.core.outcome import ErrorKind
from langserver.core.verdict import EndReason, Evidence, Verdict, verdict
from langserver.zygote.child_handle import Child
from langserver.zygote.course import REAP_SECONDS, Course, give_up_unless_reaped
from langserver.zygote.failures import SpawnRefused, ZygoteLost
from langserver.zygote.job import Job, LogLine, Outcome

_TRIES = 3
LAST_WORDS_SECONDS = 0.25  # that a Python child has at its timeout, to say where its program stands


class Supply(Protocol):
    """Where children come from."""

    async def take(self, makes_way: bool = False) -> Child:
        """A fresh child that has been told nothing; `makes_way`: see Job. Raises ZygoteLost, SpawnRefused."""

    def done(self, child: Child) -> None:
        """The child is gone; its slot can be given up."""


class Execution:
    """Runs one job on one child. Make it, start `run` as a task, and call `end` to stop it early.

    `shelf` is where the compiled form of its program is, or is put.
    """

    def __init__(self, job: Job, supply: Supply, on_log: Callable[[LogLine], None], shelf: Shelf | None = None) -> None:
        self._job = job
        self._supply = supply
        self._on_log = on_log
        self._shelf = shelf
        self._ended: EndReason | None = None
        self._child: Child | None = None
        self._taking: asyncio.Task[Any] | None = None  # the task that waits for a child

    def end(self, reason: EndReason) -> None:
        """Kills the child, or waits for none any more. The first reason counts, a second one ends the waiting."""
        loop, child = asyncio.get_running_loop(), self._child
        if self._ended is not None:
            if child is not None:
                child.kill()
            return
        self._ended = reason
        if self._taking is not None:
            self._taking.cancel()
        if child is None:
            return
        if reason is EndReason.TIMEOUT and self._job.runtime == "python":
            child.say_time_is_up()
            loop.call_later(LAST_WORDS_SECONDS, _kill_unless_reaped, child)
        else:
            child.kill()
        loop.call_later(REAP_SECONDS, give_up_unless_reaped, child)

    async def run(self) -> Outcome:
        """The outcome, once the child is gone and everything is given back. Raises nothing of the task's making."""
        start = asyncio.get_running_loop().time()
        for tries_left in reversed(range(_TRIES)):
            if self._ended is not None:
                break
            try:
                child = await self._take()
            except ZygoteLost:
                continue
            except SpawnRefused as error:
                return Outcome(Verdict(failure=Failure(ErrorKind.INTERNAL, str(error))))
            course = Course(self._job, child, start, self._on_log, lambda: self._ended, self.end, self._shelf)
            self._child = child
            try:
                outcome = await course.follow()
            except SpawnRefused as error:
                return Outcome(Verdict(failure=Failure(ErrorKind.INTERNAL, str(error))))
            finally:
                self._child = None
                self._supply.done(child)
            # A loss before the first byte of the task was sent harmed nobody, nor did a death before it began.
            if outcome is not None and not (course.died_early and tries_left):
                return outcome
        return Outcome(verdict(Evidence(self._job.runtime, self._job.bounds, exit=None, ended=self._ended)))

    async def _take(self) -> Child:
        """A child. Raises SpawnRefused, ZygoteLost, which also means that nobody waits for one any more."""
        self._taking = task = asyncio.current_task()
        try:
            return await self._supply.take(self._job.makes_way)
        except asyncio.CancelledError:
            if self._ended is None or task is None:
                raise
            task.uncancel()
            raise ZygoteLost from None
        finally:
            self._taking = None


def _kill_unless_reaped(child: Child) -> None:
    if not child.exit.done():
        child.kill()

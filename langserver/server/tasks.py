"""From a job to its outcome: a slot, an owner of its own, and an end whatever becomes of the caller."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from langserver.core.claims import Failure
from langserver.core.fairness import Whose
from langserver.core.forms import Shelf
from langserver.core.outcome import ErrorKind
from langserver.core.verdict import EndReason, Verdict
from langserver.errors import RequestError
from langserver.server.gate import Gate, Ticket
from langserver.server.telemetry.ended import Ended, Origin
from langserver.zygote.execution import Execution, Supply
from langserver.zygote.job import Job, LogLine, Outcome

log = logging.getLogger(__name__)

_NOBODY = Origin()
_FAULT = Outcome(Verdict(failure=Failure(ErrorKind.INTERNAL, "a fault of the server's")))


@dataclass(frozen=True, slots=True)
class Finished:
    """An outcome, and how long the task had waited for its slot since it `came` (the loop's clock)."""

    outcome: Outcome
    queue_seconds: float
    came: float = 0.0


class Tasks:
    """Runs jobs on the children of `supplies` (by runtime), as many at once as `gate` lets in."""

    def __init__(
        self, gate: Gate, supplies: Mapping[str, Supply], on_end: Callable[[Ended], None] = lambda _: None
    ) -> None:
        """`on_end` is told of every execution, whatever became of its caller."""
        self._gate = gate
        self._on_end = on_end
        self._supplies = supplies
        self._running: dict[Execution, asyncio.Task[None]] = {}

    async def run(
        self,
        job: Job,
        whose: Whose,
        deadline: float | None,
        on_log: Callable[[LogLine], None],
        shelf: Shelf | None = None,
        *,
        origin: Origin = _NOBODY,
    ) -> Finished:
        """Waits for a slot, at most until `deadline` (the loop's clock), then runs the job. `shelf`: see Execution.

        Cancelled, it has the child killed and returns at once; the slot is given back when the child is gone.
        Raises RequestError for a runtime that is not served, and Draining, Full, Expired.
        """
        supply = self._supplies.get(job.runtime)
        if supply is None:
            raise RequestError(f"this server does not run {job.runtime}: it runs {', '.join(self._supplies)}")
        loop = asyncio.get_running_loop()
        came = loop.time()
        ticket = await self._gate.enter(whose, deadline)
        # No await until the owner exists: it is the one who gives the slot back.
        queue_seconds = loop.time() - came
        if ticket.makes_way:
            job = replace(job, makes_way=True)
        execution = Execution(job, supply, on_log, shelf)
        ended: asyncio.Future[Outcome] = loop.create_future()
        tell = partial(self._tell, job, origin, came, came + queue_seconds)
        self._running[execution] = loop.create_task(self._own(execution, ticket, ended, tell))
        try:
            outcome = await ended
        except asyncio.CancelledError:
            execution.end(EndReason.CANCELLED)
            raise
        return Finished(outcome, queue_seconds, came)

    def end_all(self, reason: EndReason) -> None:
        """Has every child killed."""
        for execution in self._running:
            execution.end(reason)

    async def _own(
        self, execution: Execution, ticket: Ticket, ended: asyncio.Future[Outcome], tell: Callable[[Outcome], None]
    ) -> None:
        """Sees the execution to its end, which `ended` tells whoever still waits for it."""
        try:
            outcome = await execution.run()
        except Exception as error:
            log.exception("an execution failed")
            tell(_FAULT)
            if not ended.done():
                ended.set_exception(error)
        else:
            if not ended.done():
                ended.set_result(outcome)
            asyncio.get_running_loop().call_soon(tell, outcome)  # behind the answer, which goes out first
        finally:
            ended.cancel()  # does nothing to one that is done
            del self._running[execution]
            self._gate.leave(ticket)

    def _tell(self, job: Job, origin: Origin, came: float, admitted: float, outcome: Outcome) -> None:
        ended = asyncio.get_running_loop().time()
        self._on_end(Ended(origin, job.runtime, job.header.mode, outcome, came, admitted, ended))

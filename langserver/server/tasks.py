"""From a job to its outcome: a slot, an owner of its own, and an end whatever becomes of the caller."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from langserver.core.fairness import Whose
from langserver.core.forms import Shelf
from langserver.core.verdict import EndReason
from langserver.errors import RequestError
from langserver.server.gate import Gate, Ticket
from langserver.zygote.execution import Execution, Supply
from langserver.zygote.job import Job, LogLine, Outcome

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Finished:
    """An outcome, and how long the task had waited for its slot since it `came` (the loop's clock)."""

    outcome: Outcome
    queue_seconds: float
    came: float = 0.0


class Tasks:
    """Runs jobs on the children of `supplies` (by runtime), as many at once as `gate` lets in."""

    def __init__(self, gate: Gate, supplies: Mapping[str, Supply]) -> None:
        self._gate = gate
        self._supplies = supplies
        self._running: dict[Execution, asyncio.Task[None]] = {}

    async def run(
        self,
        job: Job,
        whose: Whose,
        deadline: float | None,
        on_log: Callable[[LogLine], None],
        shelf: Shelf | None = None,
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
        execution = Execution(job, supply, on_log, shelf)
        ended: asyncio.Future[Outcome] = loop.create_future()
        self._running[execution] = loop.create_task(self._own(execution, ticket, ended))
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

    async def _own(self, execution: Execution, ticket: Ticket, ended: asyncio.Future[Outcome]) -> None:
        """Sees the execution to its end, which `ended` tells whoever still waits for it."""
        try:
            outcome = await execution.run()
        except Exception as error:
            log.exception("an execution failed")
            if not ended.done():
                ended.set_exception(error)
        else:
            if not ended.done():
                ended.set_result(outcome)
        finally:
            ended.cancel()  # does nothing to one that is done
            del self._running[execution]
            self._gate.leave(ticket)

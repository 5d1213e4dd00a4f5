"""One entry's life, done: asks, has executed, reports and puts away as `core.delivery` decides."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Coroutine
from typing import Any, Final

from operating.telemetry.lines import fields
from worker_bridge.audit import Audit
from worker_bridge.core.delivery import (
    Acquire,
    CutOff,
    Denial,
    Denied,
    End,
    Event,
    Execute,
    Executed,
    Granted,
    LeaseLost,
    Life,
    Refused,
    Report,
    Reported,
    Stopping,
)
from worker_bridge.core.envelope import Poison, Task, parse_entry
from worker_bridge.core.lease import Lease
from worker_bridge.core.outcome import Outcome
from worker_bridge.errors import CallRefused, NoAnswer
from worker_bridge.executors.registry import Executors
from worker_bridge.metrics import Metrics
from worker_bridge.shell.disposal import Disposal
from worker_bridge.shell.ending import end
from worker_bridge.shell.hand import Hand
from worker_bridge.shell.keeper import Keeper
from worker_bridge.shell.links import Links
from worker_bridge.shell.patience import Patience
from worker_bridge.spans import Traced
from worker_bridge.streams.port import Entry

log = logging.getLogger(__name__)
executions = logging.getLogger("worker_bridge.executions")

_KIND: Final = re.compile(r"[A-Z][A-Z_]{0,39}")


class Worker:
    """All entries in hand, each in a task of its own that gives its slot back at the end.

    A call at which the coordinator itself fails is made for a TTL at most: what a task or an entry holds may be the
    cause, and would keep a slot for ever. A coordinator that is away is waited for.
    """

    def __init__(
        self,
        links: Links,
        executors: Executors,
        hand: Hand,
        metrics: Metrics,
        most_deliveries: int,
        *,
        audit: Audit,
    ) -> None:
        self._links = links
        self._disposal = Disposal(links, metrics)
        self._executors = executors
        self._hand = hand
        self._metrics = metrics
        self._audit = audit
        self._most_deliveries = most_deliveries
        self._spans = links.spans
        self._held: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._stopping = asyncio.Event()
        self._cut_off: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def begin(self, entry: Entry) -> None:
        """Takes over an entry and the slot that it holds.

        What is in hand already was not touched in time, or its group was made anew: it is ours again by this delivery,
        and is no second execution.
        """
        key = (entry.stream, entry.id)
        self._metrics.read(entry.stream, entry.deliveries)
        if key in self._held:
            self._hand.give_back(1)
            return
        life = asyncio.create_task(self._live(entry))
        self._held[key] = life
        life.add_done_callback(lambda _: self._put_away(key))

    def held(self) -> frozenset[tuple[str, str]]:
        """Stream and id of what is in hand."""
        return frozenset(self._held)

    async def drain(self, seconds: float) -> None:
        """Ends what is not leased yet, and lets the rest finish for so long; what goes on then is cut off."""
        self._stopping.set()
        if self._held:
            await asyncio.wait(self._held.values(), timeout=seconds)
        self.cut_off()
        if self._held:
            await asyncio.wait(self._held.values())

    def cut_off(self) -> None:
        """Ends everything now, unreported."""
        self._stopping.set()
        if not self._cut_off.done():
            self._cut_off.set_result(None)

    def _put_away(self, key: tuple[str, str]) -> None:
        del self._held[key]
        self._hand.give_back(1)

    async def _live(self, entry: Entry) -> None:
        try:
            with self._spans.entry(entry, parse_entry(entry.fields)) as (traced, parsed):
                if isinstance(parsed, Poison):
                    self._audit.malformed(entry)
                end = await self._decided(entry, parsed, traced)
                traced.went(end.fate)
                await self._disposal.put(entry, end, self._cut_off)
        except Exception:
            # A fault of ours: the entry stays, and is looked at again when it has not been touched for long.
            log.exception("%s %s", entry.stream, entry.id)

    async def _decided(self, entry: Entry, parsed: Task | Poison, traced: Traced) -> End:
        life = Life.begin(parsed, entry.deliveries, self._most_deliveries)
        keeper: Keeper | None = None
        seconds = 0.0  # of its execution
        try:
            while True:
                match life.step:
                    case End() as end:
                        return end
                    case Acquire(task):
                        with self._spans.step("lease", task) as (_, placed):
                            answer = await self._or_cut_off(self._acquire(placed))
                        if isinstance(answer, Lease):
                            keeper = Keeper(entry, task, answer, self._links, self._metrics)
                            answer = Granted()
                        self._count(answer)
                        self._tell_of(entry, task, answer)
                        life = life.after(answer)
                    case Execute(task):
                        assert keeper is not None
                        began = time.monotonic()
                        event = await self._execute_leased(task, keeper)
                        seconds = time.monotonic() - began
                        if isinstance(event, Executed):
                            self._metrics.executed(entry.stream, seconds)
                        self._count(event)
                        life = life.after(event)
                    case Report(task, outcome):
                        assert keeper is not None
                        traced.ended_as(outcome)
                        with self._spans.step("report", task) as (_, placed):
                            event = await self._or_cut_off(self._report(placed, outcome, keeper), keeper.lost)
                        self._count(event)
                        if event == Reported(acknowledged=True):
                            self._metrics.reported(entry.stream, outcome)
                            _tell(entry, task, keeper.lease, outcome, seconds)
                        life = life.after(event)
        finally:
            if keeper is not None:
                await keeper.stop()

    def _count(self, event: Event) -> None:
        match event:
            case Granted():
                self._metrics.acquired()
            case Denied(why):
                self._metrics.denied(why)
            case LeaseLost(told):
                self._metrics.lease_lost(told)
            case Reported(acknowledged):
                self._metrics.report_answered("acknowledged" if acknowledged else "not_acknowledged")

    def _tell_of(self, entry: Entry, task: Task, answer: Event) -> None:
        match answer:
            case Denied(why):
                self._audit.denied(entry, task, why)
            case Refused():
                self._audit.refused(entry, task)

    async def _or_cut_off(self, doing: Coroutine[Any, Any, Any], *lost: asyncio.Task[LeaseLost]) -> Any:
        """What `doing` gives, or, if that comes first, the loss of the lease, or the end of the drain."""
        work = asyncio.create_task(doing)
        try:
            await asyncio.wait((work, self._cut_off, *lost), return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            return next((one.result() for one in lost if one.done()), CutOff())
        finally:
            await end((work,))

    async def _acquire(self, task: Task) -> Lease | Event:
        patience, tired_at = Patience(), time.monotonic() + self._links.timings.ttl
        while not self._stopping.is_set():
            try:
                answer = await self._links.coordinator.acquire(task)
            except CallRefused as refused:
                self._metrics.denied(None)
                return Refused(str(refused))
            except NoAnswer as error:
                if error.failed and time.monotonic() > tired_at:
                    return Denied(Denial.OTHER)
                self._metrics.tried_again("acquire")
                self._trouble(task, error, patience)
                await self._or_stopping(patience)
            else:
                return Denied(answer) if isinstance(answer, Denial) else answer
        return Stopping()

    async def _or_stopping(self, patience: Patience) -> None:
        waits = {asyncio.create_task(patience.wait()), asyncio.create_task(self._stopping.wait())}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _execute_leased(self, task: Task, keeper: Keeper) -> Event:
        with self._spans.step("execute", task) as (traced, placed):
            event: Event = await self._or_cut_off(self._execute(placed), keeper.lost)
            if isinstance(event, Executed):
                traced.ended_as(event.outcome)
        if isinstance(event, Executed):
            # Both may have come while this process stood still; whoever has lost the lease has no result.
            if keeper.lost.done():
                return keeper.lost.result()
            if not keeper.lease.lives(time.monotonic()):
                return LeaseLost(told=False)
        return event

    async def _execute(self, task: Task) -> Executed:
        try:
            return Executed(await self._executors.execute(task, self._links.timings.task_timeout))
        except Exception as error:
            told = fields(task_id=task.task_id, run_id=task.run_id)
            log.exception("the executor of %r failed", task.node_type, extra=told)
            return Executed(Outcome.failed("INTERNAL", f"worker bridge: {type(error).__name__}", terminal=False))

    async def _report(self, task: Task, outcome: Outcome, keeper: Keeper) -> Event:
        patience, tired_at = Patience(), time.monotonic() + self._links.timings.ttl
        while keeper.lease.lives(time.monotonic()):
            try:
                return Reported(await self._links.coordinator.report(task, keeper.lease, outcome))
            except CallRefused as refused:
                self._metrics.report_answered("refused")
                return Refused(str(refused))
            except NoAnswer as error:
                if error.failed and time.monotonic() > tired_at:
                    return Reported(acknowledged=False)
                self._metrics.tried_again("report")
                self._trouble(task, error, patience)
                await patience.wait()
        return LeaseLost(told=False)

    def _trouble(self, task: Task, error: NoAnswer, patience: Patience) -> None:
        if patience.first:  # what is wrong with the link, the link tells
            log.log(logging.WARNING if error.failed else logging.INFO, "task %s waits: %s", task.task_id, error)


def _tell(entry: Entry, task: Task, lease: Lease, outcome: Outcome, seconds: float) -> None:
    """Of what was reported, no more than what it was: an error's words are the program's."""
    kind = outcome.error.partition(":")[0]
    executions.info(
        "a task was executed",
        extra=fields(
            task_id=task.task_id,
            run_id=task.run_id,
            trace_id=task.traceparent[3:35],
            stream=entry.stream,
            attempt=lease.attempt,
            status=outcome.status,
            execution_seconds=round(seconds, 6),
            kind=kind if _KIND.fullmatch(kind) else "",
        ),
    )

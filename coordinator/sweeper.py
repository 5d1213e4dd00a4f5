"""What nobody asks for: entries that got lost, leases that were abandoned, tasks that ended long ago."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from coordinator.core.states import TaskState
from coordinator.errors import StoreUnavailable, StreamRefused, StreamUnavailable
from coordinator.metrics import Metrics
from coordinator.store import leases, outbox, tasks
from coordinator.store.database import Database
from coordinator.store.outbox import QueuedEntry
from coordinator.streams.port import StreamPort

log = logging.getLogger(__name__)

_BATCH: Final = 500
_TOGETHER: Final = 16
_MOST_BATCHES: Final = 4  # a sweep that finds nothing amiss is cheap, however many entries wait
_LEAST_PAUSE_SECONDS: Final = 1.0  # whoever forges entries chooses how often the sweeper is called


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """`retention_seconds` 0 keeps tasks for ever. `most_lost` is of leases, in one attempt."""

    interval_seconds: float
    retention_seconds: int
    most_lost: int


class Sweeper:
    """Looks through the task table every `interval_seconds`, and when it is called."""

    def __init__(
        self,
        database: Database,
        streams: StreamPort,
        plan: SweepPlan,
        refilled: Callable[[], None],
        metrics: Metrics,
    ) -> None:
        """`refilled` is told when tasks have to be dispatched again."""
        self._database = database
        self._metrics = metrics
        self._streams = streams
        self._plan = plan
        self._refilled = refilled
        self._called = asyncio.Event()

    def call(self) -> None:
        """An entry is in doubt."""
        self._called.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        put_off = ""
        while True:
            try:
                await self.sweep()
                self._metrics.swept()
                put_off = ""
            except (StoreUnavailable, StreamUnavailable) as error:
                if str(error) != put_off:
                    log.warning("sweeps are put off: %s", error)
                put_off = str(error)
                self._metrics.put_off("sweeper")
            await asyncio.sleep(min(_LEAST_PAUSE_SECONDS, self._plan.interval_seconds))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._called.wait(), self._plan.interval_seconds)
            self._called.clear()

    async def sweep(self) -> None:
        """Once. Raises StoreUnavailable and StreamUnavailable."""
        await self._take_back_leases()
        await self._forget()
        await self._find_lost_entries()  # last: it needs the streams too

    async def _take_back_leases(self) -> None:
        while True:
            taken = await self._database.run(lambda tx: leases.take_back(tx, self._plan.most_lost, _BATCH))
            if taken == leases.TakenBack(0, 0):
                return
            log.warning(
                "%d leases were abandoned: %d of their tasks are dispatched again, %d have failed",
                taken.again + taken.ended,
                taken.again,
                taken.ended,
            )
            self._metrics.moved(TaskState.PENDING, "lease_abandoned", taken.again)
            self._metrics.moved(TaskState.FAILED, "lost_too_often", taken.ended)
            self._refilled()

    async def _find_lost_entries(self) -> None:
        age_ms = int(1000 * self._plan.interval_seconds)
        quiet = 0
        while quiet < _MOST_BATCHES:
            found = await self._database.run(lambda tx: outbox.entries_to_check(tx, age_ms, _BATCH))
            if not found:
                return
            there, gone = await self._sorted(found)
            await self._remove(gone)
            lost = await self._database.run(lambda tx, t=there, g=gone: outbox.entries_checked(tx, t, g))  # type: ignore[misc]
            if lost:
                log.warning("%d entries were gone from their streams: their tasks are dispatched again", lost)
                self._metrics.moved(TaskState.PENDING, "entry_lost", lost)
                self._refilled()
            else:
                quiet += 1

    async def _sorted(self, entries: list[QueuedEntry]) -> tuple[list[QueuedEntry], list[QueuedEntry]]:
        """Those that are there, and those that are gone. Raises StreamUnavailable."""
        there: list[QueuedEntry] = []
        gone: list[QueuedEntry] = []
        for start in range(0, len(entries), _TOGETHER):
            some = entries[start : start + _TOGETHER]
            answers = await asyncio.gather(*map(self._is_there, some))
            for entry, is_there in zip(some, answers, strict=True):
                (there if is_there else gone).append(entry)
        return there, gone

    async def _remove(self, gone: list[QueuedEntry]) -> None:
        """Entries that nobody gets would else lie there for ever, one more with each dispatch."""
        by_stream: dict[str, list[str]] = {}
        for entry in gone:
            by_stream.setdefault(entry.stream, []).append(entry.entry_id)
        for stream, entry_ids in by_stream.items():
            with suppress(StreamRefused):
                await self._streams.remove(stream, entry_ids)

    async def _is_there(self, entry: QueuedEntry) -> bool:
        try:
            return await self._streams.exists(entry.stream, entry.entry_id)
        except StreamRefused:
            return False

    async def _forget(self) -> None:
        age_ms = 1000 * self._plan.retention_seconds
        while age_ms:
            if await self._database.run(lambda tx: tasks.forget(tx, age_ms, _BATCH)) < _BATCH:
                return

"""Keeps the lease of one task, and its entry from being taken for forgotten."""

from __future__ import annotations

import asyncio
import logging
import random
import time

from worker_bridge.core.delivery import LeaseLost
from worker_bridge.core.envelope import Task
from worker_bridge.core.lease import Lease
from worker_bridge.errors import CallRefused, NoAnswer, StreamRefused, Unreachable
from worker_bridge.metrics import Metrics
from worker_bridge.shell.ending import end
from worker_bridge.shell.links import Links
from worker_bridge.streams.port import Entry

log = logging.getLogger(__name__)


class Keeper:
    """`lease` is as it stands; `lost` has a result once it is over."""

    def __init__(
        self,
        entry: Entry,
        task: Task,
        lease: Lease,
        links: Links,
        metrics: Metrics,
    ) -> None:
        self.lease = lease
        self._entry = entry
        self._task = task
        self._links = links
        self._metrics = metrics
        self.lost = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """Lets the lease be."""
        await end((self.lost,))

    async def _keep(self) -> LeaseLost:
        while True:
            await asyncio.sleep(min(self.lease.renew_at, self.lease.until) - time.monotonic())
            if not self.lease.lives(time.monotonic()):
                return LeaseLost(told=False)
            try:
                renewed = await self._links.coordinator.renew(self._task, self.lease)
            except (NoAnswer, CallRefused) as error:
                log.info("task %s: the lease was not renewed, which is tried again: %s", self._task.task_id, error)
                self._metrics.renewed("no_answer")
                self._metrics.tried_again("renew")
                self.lease = self.lease.not_renewed(time.monotonic(), random.random(), self._links.timings)  # noqa: S311 - jitter
                continue
            self._metrics.renewed("lost" if renewed is None else "renewed")
            if renewed is None:
                return LeaseLost(told=True)
            self.lease = renewed
            await self._touch()

    async def _touch(self) -> None:
        try:
            async with asyncio.timeout(self._links.timings.lease_call):
                await self._links.streams.touch(self._entry.stream, self._entry.id)
        except (Unreachable, TimeoutError) as error:
            if isinstance(error, StreamRefused) and error.fault:
                self._links.alarm(f"entries of {self._entry.stream} cannot be touched: {error}")
                return
            log.info("task %s: its entry was not touched: %s", self._task.task_id, error)

"""Children of one runtime for the server: some wait, sealed, and more are made as those are taken, end or grow old."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from langserver.core.seals import Seals
from langserver.sandbox.jail import step_of_exit_code
from langserver.server.work import Work
from langserver.server.zygotes import ZygoteEvent, ZygotePlan, Zygotes
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote
from langserver.zygote.failures import SpawnRefused, ZygoteLost
from langserver.zygote.launch import Facts

log = logging.getLogger(__name__)

_CALM_SECONDS = 0.05
_ANSWER_SECONDS = 0.0005  # from the end of a child to the end of its call
_WARM_SECONDS = 60.0  # that a child waits
_RENEWAL_SECONDS = 1.0  # for one of them, and until the next look when it cannot be


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """How a pool works. `memory_bytes` (growth) and `cpu_seconds` are what each child is sealed with; `warm` wait.

    `cores` is how many tasks keep this machine busy.
    """

    zygote: ZygotePlan
    memory_bytes: int
    cpu_seconds: int
    warm: int
    cores: int = 1


class Pool:
    """A `Supply` of children. `on_health` is told when its state changes: False while no child can be had."""

    def __init__(
        self,
        plan: PoolPlan,
        on_health: Callable[[bool], None],
        on_event: Callable[[ZygoteEvent], None] = lambda _: None,
    ) -> None:
        self._plan = plan
        self._warm = plan.warm
        self._on_health = on_health
        self._on_event = on_event
        self.hits = 0  # tasks that found a warm child
        self.misses = 0
        self._zygotes = Zygotes(plan.zygote, self, on_event)
        self._waiting: dict[Child, float] = {}  # since when, the oldest first
        self._making = 0
        self._running = 0
        self._making_way: set[Child] = set()  # of those that run: with tasks that make way for others
        self._calm_timer: asyncio.TimerHandle | None = None
        self._seals = Seals()
        self._closed = False
        self._work = Work(f"the {plan.zygote.runtime} pool")

    async def start(self) -> None:
        """Starts the first zygote, which must pass its self-test. Raises ZygoteError."""
        await self._zygotes.start()
        self._work.start(self._renew_old_ones())

    def keep_warm(self, count: int) -> None:
        """So many children wait from now on, once they are made."""
        self._warm = count
        self._refill()

    @property
    def facts(self) -> Facts:
        """Of the newest zygote."""
        return self._zygotes.facts

    @property
    def zygote_pid(self) -> int | None:
        """Of the zygote in use, None while there is none."""
        return self._zygotes.current.pid if self._zygotes.current else None

    @property
    def waiting(self) -> int:
        """Warm children."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """Children that were taken."""
        return self._running

    @property
    def making(self) -> int:
        """Children that will be warm."""
        return self._making

    async def take(self, makes_way: bool = False) -> Child:
        """A child for one task, a warm one if there is one; `makes_way`: see Job. Raises ZygoteLost, SpawnRefused.

        While tasks keep all cores busy, those that wait are for who makes no way.
        """
        child = next(iter(self._waiting), None)
        if child is None or (makes_way and self._running >= self._plan.cores):
            self.misses += 1
            zygote = await self._zygotes.usable()
            child = await zygote.spawn(self._plan.memory_bytes, self._plan.cpu_seconds, makes_way=makes_way)
        else:
            self.hits += 1
            del self._waiting[child]
        self._running += 1
        if makes_way:
            self._making_way.add(child)
        # Short tasks one after another are refilled for as they end. Who still runs after this does not mind.
        self._refill_when_calm()
        self._zygotes.count_task()
        return child

    def done(self, child: Child) -> None:
        """A taken child is gone."""
        child.zygote.release(child)
        self._count_jail(child)
        self._running -= 1
        self._making_way.discard(child)
        # The answer goes out first: making a child takes a core from it, and its zygote from whoever else has ended.
        asyncio.get_running_loop().call_later(_ANSWER_SECONDS, self._refill_unless_busy)

    async def close(self) -> None:
        """Ends every zygote and waiting child, and waits until they are gone."""
        self._closed = True
        if self._calm_timer:
            self._calm_timer.cancel()
        self._zygotes.stop()
        self._work.cancel()
        await self._work.ended()
        waiting, self._waiting = self._waiting, {}
        await self._zygotes.close()
        for child in waiting:
            child.zygote.release(child)

    def zygote_came(self) -> None:
        """See Follower."""
        self._seals = Seals()  # its filters are its own: should they fail too, that is told anew
        self._on_health(True)
        self._refill()

    def zygote_missing(self) -> None:
        """See Follower."""
        self._on_health(False)

    def zygote_left(self, zygote: Zygote) -> None:
        """See Follower."""
        for child in [child for child in self._waiting if child.zygote is zygote]:
            self._dismiss(child)

    def _dismiss(self, child: Child) -> None:
        del self._waiting[child]
        child.kill()
        self._work.start(self._see_out(child))

    @staticmethod
    async def _see_out(child: Child) -> None:
        try:
            await asyncio.shield(child.exit)
        finally:
            child.zygote.release(child)

    def _refill_when_calm(self) -> None:
        if self._calm_timer:
            self._calm_timer.cancel()
        self._calm_timer = asyncio.get_running_loop().call_later(_CALM_SECONDS, self._refill)

    def _refill_unless_busy(self) -> None:
        # While tasks keep all cores busy, a child made for later takes from them what it saves. Those that make way may
        # be taken from: it is made for whom they do it for.
        if not self._busy:
            self._refill()

    @property
    def _busy(self) -> bool:
        return self._running - len(self._making_way) >= self._plan.cores

    def _refill(self) -> None:
        """Makes children until as many wait as should: a target, since one for one would let the pool bleed dry."""
        if self._closed or self._zygotes.current is None or self._seals.fail:
            return
        for _ in range(self._warm - len(self._waiting) - self._making):
            self._making += 1
            self._work.start(self._make_one(self._zygotes.current))

    async def _renew_old_ones(self) -> None:
        """Replaces who has waited too long, one at a time, while a core is free.

        The new child comes first, and the old one goes unless a task has taken one of them meanwhile.
        """
        loop = asyncio.get_running_loop()
        while True:
            oldest, since = next(iter(self._waiting.items()), (None, loop.time()))
            left = since + _WARM_SECONDS - loop.time()
            if oldest is None or left > 0 or self._busy or self._zygotes.current is None or self._seals.fail:
                await asyncio.sleep(max(left, _RENEWAL_SECONDS))
                continue
            self._making += 1
            await self._make_one(self._zygotes.current)
            await asyncio.sleep(_RENEWAL_SECONDS)  # it is sealed by then
            if oldest in self._waiting and len(self._waiting) > self._warm:
                self._dismiss(oldest)

    async def _make_one(self, zygote: Zygote) -> None:
        try:
            child = await zygote.spawn(self._plan.memory_bytes, self._plan.cpu_seconds, ahead=True)
        except ZygoteLost:
            return
        except SpawnRefused as error:
            log.warning("no warm child: %s", error)
            return
        finally:
            self._making -= 1
        if zygote is not self._zygotes.current or self._closed:
            child.kill()
            await self._see_out(child)
            return
        self._waiting[child] = asyncio.get_running_loop().time()
        child.exit.add_done_callback(lambda _: self._warm_ended(child))

    def _warm_ended(self, child: Child) -> None:
        if child not in self._waiting:
            return
        del self._waiting[child]
        child.zygote.release(child)
        self._count_jail(child)
        self._refill_when_calm()  # not at once: should they all die, making them would be all that this machine does

    def _count_jail(self, child: Child) -> None:
        """Says so when they begin to fail, and when one holds again."""
        step = None if child.sealed else _jail_step(child)
        if step is not None:
            log.error("a %s child could not be sealed: step %s failed", self._plan.zygote.runtime, step)
            self._on_event(ZygoteEvent.SEAL_FAILED)
            failed_before, self._seals = self._seals.fail, self._seals.failed()
            if self._seals.fail and not failed_before:
                self._on_health(False)
        elif child.sealed:
            if self._seals.fail:
                self._on_health(True)
            self._seals = self._seals.held()


def _jail_step(child: Child) -> str | None:
    exit_ = child.exit.result() if child.exit.done() and not child.exit.cancelled() else None
    return step_of_exit_code(exit_.code) if exit_ and exit_.code is not None else None

"""Children of one runtime for the server: a few sealed ones waiting, zygotes replaced by count, by age and on death."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import Enum
from typing import Any

from langserver.sandbox.jail import step_of_exit_code
from langserver.sandbox.selftest import complaint
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote
from langserver.zygote.failures import SpawnRefused, ZygoteError, ZygoteLost
from langserver.zygote.launch import Facts

log = logging.getLogger(__name__)

_BACKOFF_SECONDS = (0.05, 5.0)
_SETTLED_SECONDS = 5.0  # a zygote that lives so long, or gave a child for a task, has started well
_RESTART_WAIT_SECONDS = 10.0
_JAIL_FAILURES = 3
_CALM_SECONDS = 0.05
_ANSWER_SECONDS = 0.0005  # from the end of a child to the end of its call
_WARM_SECONDS = 60.0  # that a child waits
_RENEWAL_SECONDS = 1.0  # for one of them, and until the next look when it cannot be


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """How a pool works. `memory_bytes` (growth) and `cpu_seconds` are what each child is sealed with; `warm` wait.

    `packages` are what the operator adds to the runtime; with `jit` its engine compiles. `cores` is how many tasks keep
    this machine busy.
    """

    runtime: str
    layers: frozenset[str]
    memory_bytes: int
    cpu_seconds: int
    warm: int
    zygote_max_tasks: int
    zygote_max_age_seconds: float
    packages: tuple[str, ...] = ()
    jit: bool = False
    cores: int = 1


class SelfTestFailed(ZygoteError):
    """A wall did not hold what it must."""


class PoolEvent(Enum):
    """What happens to a pool that somebody may count."""

    TASKS = "a zygote is replaced: it forked its number of tasks"
    AGE = "a zygote is replaced: it reached its age"
    LOST = "a zygote died"
    START_FAILED = "a zygote could not be started"
    SEAL_FAILED = "a child could not be sealed"


class Pool:
    """A `Supply` of children. `on_health` is told when its state changes: False while no child can be had."""

    def __init__(
        self, plan: PoolPlan, on_health: Callable[[bool], None], on_event: Callable[[PoolEvent], None] = lambda _: None
    ) -> None:
        self._plan = plan
        self._warm = plan.warm
        self._on_health = on_health
        self._on_event = on_event
        self.hits = 0  # tasks that found a warm child
        self.misses = 0
        self._zygote: Zygote | None = None
        self._facts = Facts("", 0, 0)
        self._usable = asyncio.Event()
        self._waiting: dict[Child, float] = {}  # since when, the oldest first
        self._making = 0
        self._taken = 0
        self._running = 0
        self._calm_timer: asyncio.TimerHandle | None = None
        self._used_at = 0.0
        self._delay = 0.0  # before the next start
        self._jail_failures = 0
        self._replacing = False
        self._closed = False
        self._age_timer: asyncio.TimerHandle | None = None
        self._retired: set[Zygote] = set()
        self._work: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Starts the first zygote, which must pass its self-test. Raises ZygoteError."""
        zygote = await self._start_zygote()
        try:
            wrong = complaint(await zygote.try_walls(self._plan.layers))
            if wrong is not None:
                raise SelfTestFailed(f"the self-test of the {self._plan.runtime} sandbox failed: {wrong}")
        except BaseException:
            await zygote.close()
            raise
        self._use(zygote)
        self._start_work(self._renew_old_ones())

    async def _start_zygote(self) -> Zygote:
        return await Zygote.start(self._plan.runtime, self._plan.layers, self._plan.packages, self._plan.jit)

    def keep_warm(self, count: int) -> None:
        """So many children wait from now on, once they are made."""
        self._warm = count
        self._refill()

    @property
    def facts(self) -> Facts:
        """Of the newest zygote."""
        return self._facts

    @property
    def zygote_pid(self) -> int | None:
        """Of the zygote in use, None while there is none."""
        return self._zygote.pid if self._zygote else None

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

    async def take(self) -> Child:
        """A child for one task, a warm one if there is one. Raises ZygoteLost, SpawnRefused."""
        child = next(iter(self._waiting), None)
        if child is None:
            self.misses += 1
            child = await self._spawn()
        else:
            self.hits += 1
            del self._waiting[child]
        self._taken += 1
        self._running += 1
        # Short tasks one after another are refilled for as they end. Who still runs after this does not mind.
        self._refill_when_calm()
        if self._taken >= self._plan.zygote_max_tasks:
            self._replace(PoolEvent.TASKS)
        return child

    def done(self, child: Child) -> None:
        """A taken child is gone."""
        child.zygote.release(child)
        self._count_jail(child)
        self._running -= 1
        # The answer goes out first: making a child takes a core from it, and its zygote from whoever else has ended.
        asyncio.get_running_loop().call_later(_ANSWER_SECONDS, self._refill_unless_busy)

    async def close(self) -> None:
        """Ends every zygote and waiting child, and waits until they are gone."""
        self._closed = True
        for timer in (self._age_timer, self._calm_timer):
            if timer:
                timer.cancel()
        for task in self._work:
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        zygotes = [*self._retired, *([self._zygote] if self._zygote else [])]
        waiting, self._waiting = self._waiting, {}
        await asyncio.gather(*(zygote.close() for zygote in zygotes))
        for child in waiting:
            child.zygote.release(child)

    async def _spawn(self) -> Child:
        try:
            async with asyncio.timeout(_RESTART_WAIT_SECONDS):
                await self._usable.wait()
        except TimeoutError:
            raise ZygoteLost from None
        if self._zygote is None:  # lost again before we came to it
            raise ZygoteLost
        return await self._zygote.spawn(self._plan.memory_bytes, self._plan.cpu_seconds)

    def _use(self, zygote: Zygote) -> None:
        old, self._zygote, self._facts = self._zygote, zygote, zygote.facts
        zygote.on_lost = lambda: self._lose(zygote)
        if zygote.lost:
            self._lose(zygote)
            return
        self._taken = 0
        self._used_at = asyncio.get_running_loop().time()
        if self._age_timer:
            self._age_timer.cancel()
        age = self._plan.zygote_max_age_seconds
        self._age_timer = asyncio.get_running_loop().call_later(age, self._replace, PoolEvent.AGE)
        self._usable.set()
        if old is not None:
            self._retire(old)
        self._on_health(True)
        self._refill()

    def _lose(self, zygote: Zygote) -> None:
        """A zygote died: its waiting children went with it, its running ones tell their owners themselves."""
        if self._closed:
            return
        self._dismiss_waiting(zygote)
        if zygote is not self._zygote:
            return
        log.warning("the %s zygote (pid %d) died; starting another", self._plan.runtime, zygote.pid)
        self._on_event(PoolEvent.LOST)
        if self._taken or asyncio.get_running_loop().time() - self._used_at >= _SETTLED_SECONDS:
            self._delay = 0.0
        self._zygote = None
        self._retired.add(zygote)
        self._usable.clear()
        self._on_health(False)
        self._start_work(self._restart())
        self._start_work(self._bury(zygote))

    async def _restart(self) -> None:
        shortest, longest = _BACKOFF_SECONDS
        while True:
            await asyncio.sleep(self._delay)
            self._delay = min(max(shortest, self._delay * 2), longest)
            try:
                zygote = await self._start_zygote()
            except ZygoteError as error:
                log.error("%s; the next try is in %.2f s", error, self._delay)
                self._on_event(PoolEvent.START_FAILED)
            else:
                self._use(zygote)
                return

    def _replace(self, why: PoolEvent) -> None:
        if self._replacing or self._closed or self._zygote is None:
            return
        self._replacing = True
        log.info("the %s zygote (pid %d): %s", self._plan.runtime, self._zygote.pid, why.value)
        self._on_event(why)
        self._start_work(self._replace_now(self._zygote))

    async def _replace_now(self, old: Zygote) -> None:
        _, pause = _BACKOFF_SECONDS
        try:
            while self._zygote is old:
                try:
                    new = await self._start_zygote()
                except ZygoteError as error:
                    log.error("the old zygote stays for now: %s", error)
                    self._on_event(PoolEvent.START_FAILED)
                    await asyncio.sleep(pause)
                    continue
                if self._zygote is old:
                    self._use(new)
                else:  # it died meanwhile, and another one was started for it
                    await new.close()
        finally:
            self._replacing = False

    def _retire(self, zygote: Zygote) -> None:
        """Lets what runs on a replaced zygote end; its waiting children hold nothing and go at once."""
        self._dismiss_waiting(zygote)
        self._retired.add(zygote)
        self._start_work(self._bury(zygote))

    async def _bury(self, zygote: Zygote) -> None:
        await zygote.idle()
        await zygote.close()
        self._retired.discard(zygote)

    def _dismiss_waiting(self, zygote: Zygote) -> None:
        for child in [child for child in self._waiting if child.zygote is zygote]:
            self._dismiss(child)

    def _dismiss(self, child: Child) -> None:
        del self._waiting[child]
        child.kill()
        self._start_work(self._see_out(child))

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
        # While tasks keep all cores busy, a child made for later takes from them what it saves.
        if not self._busy:
            self._refill()

    @property
    def _busy(self) -> bool:
        return self._running >= self._plan.cores

    def _refill(self) -> None:
        """Makes children until as many wait as should: a target, since one for one would let the pool bleed dry."""
        if self._closed or self._zygote is None or self._jails_fail:
            return
        for _ in range(self._warm - len(self._waiting) - self._making):
            self._making += 1
            self._start_work(self._make_one(self._zygote))

    async def _renew_old_ones(self) -> None:
        """Replaces who has waited too long, one at a time, while a core is free.

        The new child comes first, and the old one goes unless a task has taken one of them meanwhile.
        """
        loop = asyncio.get_running_loop()
        while True:
            oldest, since = next(iter(self._waiting.items()), (None, loop.time()))
            left = since + _WARM_SECONDS - loop.time()
            if oldest is None or left > 0 or self._busy or self._zygote is None or self._jails_fail:
                await asyncio.sleep(max(left, _RENEWAL_SECONDS))
                continue
            self._making += 1
            await self._make_one(self._zygote)
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
        if zygote is not self._zygote or self._closed:
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

    @property
    def _jails_fail(self) -> bool:
        return self._jail_failures >= _JAIL_FAILURES

    def _count_jail(self, child: Child) -> None:
        """Jails that fail one after another are no accident: the pool says so, until one holds again."""
        step = None if child.sealed else _jail_step(child)
        if step is not None:
            log.error("a %s child could not be sealed: step %s failed", self._plan.runtime, step)
            self._on_event(PoolEvent.SEAL_FAILED)
            self._jail_failures += 1
            if self._jail_failures == _JAIL_FAILURES:
                self._on_health(False)
        elif child.sealed:
            if self._jails_fail:
                self._on_health(True)
            self._jail_failures = 0

    def _start_work(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._work.add(task)
        task.add_done_callback(self._finish_work)

    def _finish_work(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("work on the %s pool failed", self._plan.runtime, exc_info=error)


def _jail_step(child: Child) -> str | None:
    exit_ = child.exit.result() if child.exit.done() and not child.exit.cancelled() else None
    return step_of_exit_code(exit_.code) if exit_ and exit_.code is not None else None

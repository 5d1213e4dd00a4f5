"""The zygotes of one runtime: one is in use; it is replaced by count and by age, and when it dies another is started.

One that was replaced stays until the last of its tasks has ended, and no other is replaced meanwhile: there is memory
for two of them, and one task may last far longer than a zygote is used.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from langserver.core import restarts
from langserver.core.restarts import Restarts
from langserver.sandbox.selftest import complaint
from langserver.server.work import Work
from langserver.zygote.client import Zygote
from langserver.zygote.failures import ZygoteError, ZygoteLost
from langserver.zygote.launch import Facts

log = logging.getLogger(__name__)

_RESTART_WAIT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class ZygotePlan:
    """What a zygote is started with, and when it is replaced: after so many tasks, or seconds.

    `packages` are what the operator adds to the runtime; with `jit` its engine compiles.
    """

    runtime: str
    layers: frozenset[str]
    max_tasks: int
    max_age_seconds: float
    packages: tuple[str, ...] = ()
    jit: bool = False


class SelfTestFailed(ZygoteError):
    """A wall did not hold what it must."""


class ZygoteEvent(Enum):
    """What happens to zygotes, and to what they fork, that somebody may count."""

    TASKS = "a zygote is replaced: it forked its number of tasks"
    AGE = "a zygote is replaced: it reached its age"
    LOST = "a zygote died"
    START_FAILED = "a zygote could not be started"
    SEAL_FAILED = "a child could not be sealed"


class Follower(Protocol):
    """Who has children that wait."""

    def zygote_came(self) -> None:
        """Another one is in use."""

    def zygote_left(self, zygote: Zygote) -> None:
        """It died, or was replaced: none of its children may wait any longer."""

    def zygote_missing(self) -> None:
        """The one in use died."""


class Zygotes:
    """See above. `follower` is told until `stop` is called; it may ask for everything here."""

    def __init__(self, plan: ZygotePlan, follower: Follower, on_event: Callable[[ZygoteEvent], None]) -> None:
        self._plan = plan
        self._follower = follower
        self._on_event = on_event
        self._current: Zygote | None = None
        self._facts = Facts("", 0, 0)
        self._usable = asyncio.Event()
        self._tasks = 0  # of the one in use
        self._used_at = 0.0
        self._restarts = Restarts()
        self._replacing = False
        self._due: ZygoteEvent | None = None  # why the one in use is to be replaced, when no replaced one is left
        self._stopped = False
        self._age_timer: asyncio.TimerHandle | None = None
        self._retired: set[Zygote] = set()
        self._work = Work(f"the {plan.runtime} zygotes")

    @property
    def current(self) -> Zygote | None:
        """The one in use, None while there is none."""
        return self._current

    @property
    def facts(self) -> Facts:
        """Of the newest one."""
        return self._facts

    async def start(self) -> None:
        """Starts the first one, which must pass its self-test. Raises ZygoteError."""
        zygote = await self._start_one()
        try:
            wrong = complaint(await zygote.try_walls(self._plan.layers))
            if wrong is not None:
                raise SelfTestFailed(f"the self-test of the {self._plan.runtime} sandbox failed: {wrong}")
        except BaseException:
            await zygote.close()
            raise
        self._use(zygote)

    async def usable(self) -> Zygote:
        """The one in use, waited for while there is none. Raises ZygoteLost."""
        try:
            async with asyncio.timeout(_RESTART_WAIT_SECONDS):
                await self._usable.wait()
        except TimeoutError:
            raise ZygoteLost from None
        if self._current is None:  # lost again before we came to it
            raise ZygoteLost
        return self._current

    def count_task(self) -> None:
        """A child was given to one more task."""
        self._tasks += 1
        if self._tasks >= self._plan.max_tasks:
            self._replace(ZygoteEvent.TASKS)

    def stop(self) -> None:
        """From now on none is started, none is replaced, and nobody is told of anything."""
        self._stopped = True
        if self._age_timer:
            self._age_timer.cancel()
        self._work.cancel()

    async def close(self) -> None:
        """Ends all of them and their children, and waits until they are gone."""
        self.stop()
        await self._work.ended()
        zygotes = [*self._retired, *([self._current] if self._current else [])]
        await asyncio.gather(*(zygote.close() for zygote in zygotes))

    async def _start_one(self) -> Zygote:
        return await Zygote.start(self._plan.runtime, self._plan.layers, self._plan.packages, self._plan.jit)

    def _use(self, zygote: Zygote) -> None:
        old, self._current, self._facts = self._current, zygote, zygote.facts
        zygote.on_lost = lambda: self._lose(zygote)
        if zygote.lost:
            self._lose(zygote)
            return
        self._tasks = 0
        self._due = None
        self._used_at = asyncio.get_running_loop().time()
        if self._age_timer:
            self._age_timer.cancel()
        age = self._plan.max_age_seconds
        self._age_timer = asyncio.get_running_loop().call_later(age, self._replace, ZygoteEvent.AGE)
        self._usable.set()
        if old is not None:
            self._retire(old)
        self._follower.zygote_came()

    def _lose(self, zygote: Zygote) -> None:
        """A zygote died: its waiting children went with it, its running ones tell their owners themselves."""
        if self._stopped:
            return
        self._follower.zygote_left(zygote)
        if zygote is not self._current:
            return
        log.warning("the %s zygote (pid %d) died; starting another", self._plan.runtime, zygote.pid)
        self._on_event(ZygoteEvent.LOST)
        self._restarts = self._restarts.lost(self._tasks, self._used_at, asyncio.get_running_loop().time())
        self._current = None
        self._retired.add(zygote)
        self._usable.clear()
        self._follower.zygote_missing()
        self._work.start(self._restart())
        self._work.start(self._bury(zygote))

    async def _restart(self) -> None:
        while True:
            await asyncio.sleep(self._restarts.delay_seconds)
            self._restarts = self._restarts.tried()
            try:
                zygote = await self._start_one()
            except ZygoteError as error:
                log.error("%s; the next try is in %.2f s", error, self._restarts.delay_seconds)
                self._on_event(ZygoteEvent.START_FAILED)
            else:
                self._use(zygote)
                return

    def _replace(self, why: ZygoteEvent) -> None:
        if self._replacing or self._stopped or self._current is None:
            return
        if self._retired:
            self._due = why
            return
        self._replacing = True
        log.info("the %s zygote (pid %d): %s", self._plan.runtime, self._current.pid, why.value)
        self._on_event(why)
        self._work.start(self._replace_now(self._current))

    async def _replace_now(self, old: Zygote) -> None:
        try:
            while self._current is old:
                try:
                    new = await self._start_one()
                except ZygoteError as error:
                    log.error("the old zygote stays for now: %s", error)
                    self._on_event(ZygoteEvent.START_FAILED)
                    await asyncio.sleep(restarts.LONGEST_SECONDS)
                    continue
                if self._current is old:
                    self._use(new)
                else:  # it died meanwhile, and another one was started for it
                    await new.close()
        finally:
            self._replacing = False

    def _retire(self, zygote: Zygote) -> None:
        """Lets what runs on a replaced zygote end; its waiting children hold nothing and go at once."""
        self._follower.zygote_left(zygote)
        self._retired.add(zygote)
        self._work.start(self._bury(zygote))

    async def _bury(self, zygote: Zygote) -> None:
        await zygote.idle()
        await zygote.close()
        self._retired.discard(zygote)
        if self._due is not None:
            self._replace(self._due)

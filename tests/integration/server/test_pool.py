"""The pool when starts fail: it goes on trying, says how it is, and recovers."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from langserver.core import restarts
from langserver.core.verdict import Exit
from langserver.server import pool as pool_module
from langserver.server.pool import Pool, PoolPlan
from langserver.server.zygotes import ZygotePlan
from langserver.zygote import child_handle, client, launch
from langserver.zygote.failures import SpawnRefused, ZygoteError, ZygoteLost

ZYGOTE = ZygotePlan(
    runtime="python", layers=frozenset({"policy", "privileges", "rlimits"}), max_tasks=1000, max_age_seconds=600
)
PLAN = PoolPlan(ZYGOTE, memory_bytes=64 << 20, cpu_seconds=10, warm=1)
GUARD_SECONDS = 60


@asynccontextmanager
async def a_pool(plan: PoolPlan = PLAN) -> AsyncIterator[tuple[Pool, list[bool]]]:
    health: list[bool] = []
    pool = Pool(plan, health.append)
    await pool.start()
    try:
        yield pool, health
    finally:
        await pool.close()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(GUARD_SECONDS):
        while not condition():  # noqa: ASYNC110 - the pool has no event for what a test wants to see
            await asyncio.sleep(0.01)


async def serves(pool: Pool) -> int:
    """Takes a child and lets it go; returns its zygote's pid."""
    child = await pool.take()
    pid = child.zygote.pid
    child.kill()
    await child.exit
    pool.done(child)
    return pid


def failing(monkeypatch: pytest.MonkeyPatch, times: int, error: Exception) -> list[int]:
    """The next `times` starts fail."""
    tries: list[int] = []
    start = client.Zygote.start

    async def start_later(*given: Any) -> client.Zygote:
        tries.append(len(tries))
        if len(tries) <= times:
            raise error
        return await start(*given)

    monkeypatch.setattr(client.Zygote, "start", start_later)
    return tries


async def test_a_lost_zygote_is_replaced_however_often_the_start_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_pool() as (pool, health):
        before = await serves(pool)
        failing(monkeypatch, 3, ZygoteError("no"))
        os.kill(before, signal.SIGKILL)
        await until(lambda: health == [True, False, True])
        assert await serves(pool) != before


async def test_a_start_that_the_kernel_refuses_is_a_zygote_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(subprocess, "Popen", refuse)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ZygoteError, match="could not start: Resource temporarily unavailable"):
        await launch.launch("python", ZYGOTE.layers)
    assert len(os.listdir("/proc/self/fd")) <= before


async def test_a_start_that_is_given_up_as_its_answer_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one turn of the loop: that was an error nobody could place in the log of a server that stops."""
    loop, faults = asyncio.get_running_loop(), []
    loop.set_exception_handler(lambda _, context: faults.append(context))
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    with theirs, subprocess.Popen(["sleep", "60"], stderr=subprocess.PIPE) as process:  # noqa: ASYNC220
        monkeypatch.setattr(launch, "_exec", lambda *_: (process, ours))
        starting = asyncio.create_task(launch.launch("python", ZYGOTE.layers))
        await asyncio.sleep(0)
        theirs.send(b"ready")
        loop.call_soon(starting.cancel)
        await asyncio.wait([starting])
    assert starting.cancelled()
    assert faults == []


async def test_an_old_zygote_is_replaced_in_the_end_though_a_first_try_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "LONGEST_SECONDS", 0.05)
    async with a_pool(replace(PLAN, zygote=replace(ZYGOTE, max_tasks=1))) as (pool, health):
        tries = failing(monkeypatch, 2, ZygoteError("no"))
        before = await serves(pool)
        await until(lambda: len(tries) >= 3)
        await until(lambda: len(health) == 2)
        assert await serves(pool) != before
        assert health == [True, True], "the old one served meanwhile"


@pytest.mark.parametrize(
    "plan",
    [replace(PLAN, zygote=replace(ZYGOTE, max_tasks=1)), replace(PLAN, zygote=replace(ZYGOTE, max_age_seconds=0.05))],
    ids=["by count", "by age"],
)
async def test_the_old_zygote_serves_until_the_new_one_is_ready(
    plan: PoolPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_pool(plan) as (pool, health):
        asked, ready = asyncio.Event(), asyncio.Event()
        start = client.Zygote.start

        async def start_late(*given: Any) -> client.Zygote:
            asked.set()
            await ready.wait()
            return await start(*given)

        monkeypatch.setattr(client.Zygote, "start", start_late)
        before = await serves(pool)
        async with asyncio.timeout(GUARD_SECONDS):
            await asked.wait()
        assert [await serves(pool) for _ in range(5)] == [before] * 5
        running = await pool.take()
        ready.set()
        await until(lambda: pool.zygote_pid != before)
        assert await serves(pool) != before
        assert not running.exit.done(), "what ran on the old one goes on"
        running.kill()
        await running.exit
        pool.done(running)
        assert False not in health


async def test_a_zygote_is_replaced_when_no_replaced_one_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a long task in each in turn keeps as many as there are slots, where memory was counted for two."""
    started: list[client.Zygote] = []
    start = client.Zygote.start

    async def noted(*given: Any) -> client.Zygote:
        started.append(await start(*given))
        return started[-1]

    monkeypatch.setattr(client.Zygote, "start", noted)
    async with a_pool(replace(PLAN, zygote=replace(ZYGOTE, max_tasks=1), warm=0)) as (pool, _):
        long = [await pool.take()]
        await until(lambda: len(started) == 2 and pool.zygote_pid == started[1].pid)
        long.append(await pool.take())
        for _ in range(3):
            assert await serves(pool) == started[1].pid
        assert len(started) == 2
        long[0].kill()
        await long[0].exit
        pool.done(long[0])
        await until(lambda: len(started) == 3 and pool.zygote_pid == started[2].pid)
        assert not long[1].exit.done()
        long[1].kill()
        await long[1].exit
        pool.done(long[1])


async def test_no_descriptor_left_is_refused_and_leaks_none(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_pool(replace(PLAN, warm=0)) as (pool, _):
        before = len(os.listdir("/proc/self/fd"))
        pipe2, made = os.pipe2, []

        def second_fails(flags: int) -> tuple[int, int]:
            made.append(flags)
            if len(made) == 2:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            return pipe2(flags)

        monkeypatch.setattr(os, "pipe2", second_fails)
        with pytest.raises(SpawnRefused, match="Too many open files"):
            await pool.take()
        assert len(os.listdir("/proc/self/fd")) <= before
        await serves(pool)


async def test_no_descriptor_left_to_look_at_a_child_is_refused_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_pool(replace(PLAN, warm=0)) as (pool, health):
        owns, asked = client.Zygote.owns, []

        def first_fails(zygote: client.Zygote, descriptor: int) -> bool:
            asked.append(descriptor)
            if len(asked) == 1:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            return owns(zygote, descriptor)

        monkeypatch.setattr(client.Zygote, "owns", first_fails)
        with pytest.raises(SpawnRefused, match="Too many open files"):
            await pool.take()
        before = pool.zygote_pid
        assert await serves(pool) == before
        assert health == [True]


async def ends(pool: Pool, code: int, sealed: bool) -> None:
    """A child that was taken, with this exit code as it seems."""
    child = await pool.take()
    child.kill()
    await child.exit
    child.exit = asyncio.get_running_loop().create_future()
    child.exit.set_result(Exit(code, None, 0.0, 0))
    child.sealed = sealed
    pool.done(child)


async def test_three_failed_jails_in_a_row_are_told_and_one_that_holds_again() -> None:
    async with a_pool(replace(PLAN, warm=0)) as (pool, health):
        for _ in range(2):
            await ends(pool, 64, sealed=False)
        await ends(pool, 0, sealed=True)
        for _ in range(3):
            await ends(pool, 70, sealed=True)  # a task may exit with any code
        assert health == [True]
        for _ in range(3):
            await ends(pool, 64, sealed=False)
        assert health == [True, False]
        await ends(pool, 0, sealed=True)
        assert health == [True, False, True]


async def test_failed_jails_of_another_zygote_are_told_too() -> None:
    """Else a server whose zygote was replaced would say for ever that it serves."""
    async with a_pool(replace(PLAN, warm=0)) as (pool, health):
        for _ in range(4):
            await ends(pool, 64, sealed=False)
        assert health == [True, False]
        assert pool.zygote_pid is not None
        os.kill(pool.zygote_pid, signal.SIGKILL)
        await until(lambda: health == [True, False, False, True])
        for _ in range(3):
            await ends(pool, 64, sealed=False)
        assert health[-1] is False


async def test_a_child_whose_pidfd_did_not_arrive_is_refused_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_pool(replace(PLAN, warm=0)) as (pool, _):
        take = child_handle.Child.take_message
        cut: list[int] = []

        def without_descriptor(child: child_handle.Child, message: object, descriptors: list[int]) -> None:
            if not cut and descriptors:
                cut.append(descriptors.pop())
                os.close(cut[0])
            take(child, message, descriptors)  # type: ignore[arg-type]

        monkeypatch.setattr(child_handle.Child, "take_message", without_descriptor)
        with pytest.raises(SpawnRefused, match="limit of open files"):
            await pool.take()
        await serves(pool)


async def test_a_burst_of_more_messages_than_the_socket_holds() -> None:
    """A few hundred fill it: what does not fit waits, in order."""
    async with a_pool(replace(PLAN, warm=0)) as (pool, health):
        children = await asyncio.gather(*(pool.take() for _ in range(400)))
        assert len({child.pid for child in children}) == 400
        for child in children:
            child.kill()
        for child in children:
            await child.exit
            pool.done(child)
        assert health == [True]


async def test_a_zygote_that_dies_right_after_its_start_is_waited_for_longer_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a host that kills each of them would have both its cores busy with starts."""
    monkeypatch.setattr(restarts, "SHORTEST_SECONDS", 0.01)
    monkeypatch.setattr(restarts, "LONGEST_SECONDS", 0.03)
    monkeypatch.setattr(restarts, "SETTLED_SECONDS", 1e9)
    async with a_pool(replace(PLAN, warm=0)) as (pool, health):

        async def lose(losses: int) -> float:
            """The delay before the start that follows the next one."""
            assert pool.zygote_pid is not None
            os.kill(pool.zygote_pid, signal.SIGKILL)
            await until(lambda: health.count(False) == losses)
            await until(lambda: health[-1])
            return pool._zygotes._restarts.delay_seconds

        delays = [await lose(losses) for losses in range(1, 5)]
        assert delays == [0.01, 0.02, 0.03, 0.03]
        monkeypatch.setattr(restarts, "SETTLED_SECONDS", 0.0)
        assert await lose(5) == 0.01, "it had lived long enough"
        monkeypatch.setattr(restarts, "SETTLED_SECONDS", 1e9)
        assert await lose(6) == 0.02
        await serves(pool)
        assert await lose(7) == 0.01, "it had given a child for a task"


async def test_an_answer_is_waited_for_while_others_come(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What has much to do is not stuck; what says nothing is, and the log says that it was that and no death."""
    monkeypatch.setattr(client, "_QUIET_SECONDS", 0.2)
    zygote = await client.Zygote.start("python", ZYGOTE.layers)
    try:
        late = asyncio.get_running_loop().create_future()
        waiting = asyncio.create_task(zygote.answer(late))
        for _ in range(4):  # each of them is an answer, and they take longer than it may be quiet
            child = await zygote.spawn(PLAN.memory_bytes, 0)
            child.kill()
            await child.exit
            zygote.release(child)
            await asyncio.sleep(0.1)
        assert not waiting.done()
        assert not zygote.lost
        with pytest.raises(ZygoteLost):
            await waiting
        assert zygote.lost
        assert f"the python zygote (pid {zygote.pid}) gave no answer for " in caplog.text
    finally:
        await zygote.close()


@asynccontextmanager
async def counted(plan: PoolPlan, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Pool, list[bool]]]:
    """A pool with its first children, and for each child that was asked for whether a task did not wait for it."""
    spawn = client.Zygote.spawn
    asked: list[bool] = []

    async def noted(zygote: client.Zygote, *limits: int, ahead: bool = False, **more: bool) -> child_handle.Child:
        asked.append(ahead)
        return await spawn(zygote, *limits, ahead=ahead, **more)

    monkeypatch.setattr(client.Zygote, "spawn", noted)
    async with a_pool(plan) as (pool, _):
        await until(lambda: pool.waiting == plan.warm)
        yield pool, asked


async def end(pool: Pool, child: child_handle.Child) -> None:
    """As a task does, and lets what that started begin."""
    child.kill()
    await child.exit
    pool.done(child)
    for _ in range(3):
        await asyncio.sleep(0)


async def test_no_child_is_made_for_later_while_tasks_keep_the_cores_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "_CALM_SECONDS", 1e9)
    async with counted(PLAN, monkeypatch) as (pool, asked):
        first, second = await pool.take(), await pool.take()
        assert asked == [True, False], "the second task found none that waited"
        await end(pool, first)
        assert asked == [True, False], "one task is left, and there is one core"
        await end(pool, second)
        await until(lambda: pool.waiting == 1)
        assert asked == [True, False, True]


async def test_who_makes_way_leaves_those_that_wait_to_others_while_the_cores_are_busy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_module, "_CALM_SECONDS", 1e9)
    async with counted(replace(PLAN, warm=2), monkeypatch) as (pool, asked):
        assert asked == [True, True]
        idle = await pool.take(makes_way=True)
        assert asked == [True, True], "the core is free, and one that waits serves him as well as anybody"
        (waiting,) = pool._waiting
        flood = await pool.take(makes_way=True)
        assert asked == [True, True, False]
        assert waiting in pool._waiting
        assert (idle.makes_way, flood.makes_way) == (False, True), "what waited for any task is told to later"
        assert await pool.take() is waiting
        await end(pool, waiting)
        await until(lambda: pool.waiting == 2)
        assert asked == [True, True, False, True, True], "only who makes way keeps the core busy"
        await end(pool, flood)
        await end(pool, idle)


async def test_a_child_made_for_a_task_that_makes_way_does_so_before_it_is_told_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with counted(replace(PLAN, warm=1, cores=0), monkeypatch) as (pool, _):
        child, other = await pool.take(makes_way=True), await pool.take()
        for one in (child, other):
            os.set_blocking(one.report_fd, True)
            await asyncio.to_thread(os.read, one.report_fd, 1)  # it is sealed
        usual = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == min(usual + 8, 19)
        assert os.getpriority(os.PRIO_PROCESS, other.pid) == usual
        await end(pool, child)
        await end(pool, other)


async def test_a_long_task_does_not_keep_the_pool_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "_CALM_SECONDS", 0.01)
    async with counted(PLAN, monkeypatch) as (pool, asked):
        child = await pool.take()
        await until(lambda: pool.waiting == 1)
        assert asked == [True, True]
        await end(pool, child)


async def test_a_waiting_child_that_dies_is_replaced_and_nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with counted(PLAN, monkeypatch) as (pool, asked):
        (waiting,) = pool._waiting
        waiting.kill()
        await waiting.exit
        await until(lambda: pool.waiting == 1)
        assert asked == [True, True]
        assert waiting not in pool._waiting


@pytest.fixture
def at_once_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "_CALM_SECONDS", 0.01)
    monkeypatch.setattr(pool_module, "_WARM_SECONDS", 0.0)
    monkeypatch.setattr(pool_module, "_RENEWAL_SECONDS", 0.001)


@pytest.mark.usefixtures("at_once_old")
async def test_a_child_that_waited_too_long_goes_when_another_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    async with counted(replace(PLAN, warm=2), monkeypatch) as (pool, asked):
        least, most = pool.waiting, pool.waiting
        first, dismiss = list(pool._waiting), pool._dismiss

        def noted(child: child_handle.Child) -> None:
            nonlocal least, most
            most = max(most, pool.waiting)
            dismiss(child)
            least = min(least, pool.waiting)

        monkeypatch.setattr(pool, "_dismiss", noted)
        await until(lambda: all(child.exit.done() and child.report_fd < 0 for child in first))
        assert (least, most) == (2, 3)
        assert all(asked)


@pytest.mark.usefixtures("at_once_old")
async def test_no_child_is_renewed_while_tasks_keep_the_cores_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0
    busy = Pool.__dict__["_busy"]

    def look(pool: Pool) -> bool:
        nonlocal looks
        looks += 1
        return bool(busy.fget(pool))

    monkeypatch.setattr(Pool, "_busy", property(look))
    async with counted(PLAN, monkeypatch) as (pool, asked):
        task = await pool.take()
        await until(lambda: pool.waiting == 1)
        seen, made = looks, len(asked)
        await until(lambda: looks > seen + 9)
        assert len(asked) <= made + 1, "one may have been on its way"
        await end(pool, task)
        await until(lambda: len(asked) > made + 1)


@pytest.mark.usefixtures("at_once_old")
@pytest.mark.parametrize("later", [False, True], ids=["by the plan", "by a word of the server's"])
async def test_who_waited_too_long_stays_where_no_other_can_be_made(
    monkeypatch: pytest.MonkeyPatch, later: bool
) -> None:
    async with counted(replace(PLAN, warm=0) if later else PLAN, monkeypatch) as (pool, _):
        pool.keep_warm(1)
        await until(lambda: pool.waiting == 1)
        refused = 0

        async def refuse(*_: object, **__: object) -> child_handle.Child:
            nonlocal refused
            refused += 1
            raise SpawnRefused("no")

        monkeypatch.setattr(client.Zygote, "spawn", refuse)
        await until(lambda: refused > 1)
        waiting = list(pool._waiting)
        await until(lambda: refused > 4)
        assert list(pool._waiting) == waiting
        assert await serves(pool) == pool.zygote_pid

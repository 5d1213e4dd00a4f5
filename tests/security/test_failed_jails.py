"""A server whose children can't be sealed starts not, or says that it can't serve: and names the step."""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from langserver.core.outcome import ErrorKind
from langserver.limits import Ceilings
from langserver.sandbox.jail import STEPS
from langserver.sandbox.layers import NAMESPACES
from langserver.server.pool import Pool, PoolPlan
from langserver.server.zygotes import ZygotePlan
from langserver.zygote import launch
from langserver.zygote.client import Zygote
from langserver.zygote.execution import Execution
from langserver.zygote.failures import ZygoteError
from langserver.zygote.request import TaskRequest, make_job
from tests.security.layers import AVAILABLE, IS_ROOT, ROOT

# In an empty root the zygote would not see the file that tells it what to break.
LAYERS = frozenset(name for name, status in AVAILABLE.items() if status.available) - {NAMESPACES}
TAKEN = [step.name for step in STEPS if not step.layers or step.layers & LAYERS]
GUARD_SECONDS = 60


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file that names the step which fails; every zygote started meanwhile looks at it."""
    with tempfile.NamedTemporaryFile() as file:
        path = Path(file.name)
        path.chmod(0o644)  # pytest's own folders are private, and a zygote started as root is nobody
        script = str(ROOT / "tests" / "sandbox" / "failing_zygote.py")
        monkeypatch.setattr(launch, "_INTERPRETER", ("-I", "-X", "utf8", script, str(ROOT), str(path)))
        yield path


def write(file: Path, step: str) -> None:
    file.write_text(step)


def plan(warm: int) -> PoolPlan:
    return PoolPlan(ZygotePlan("python", LAYERS, 1000, 600), 64 << 20, 10, warm)


@pytest.mark.parametrize("step", [TAKEN[0], TAKEN[len(TAKEN) // 2], TAKEN[-1]])
async def test_a_server_that_can_seal_no_child_does_not_start(broken: Path, step: str) -> None:
    write(broken, step)
    health: list[bool] = []
    pool = Pool(plan(1), health.append)
    with pytest.raises(ZygoteError, match=f"the python zygote could not start: a child could not be sealed: {step}$"):
        await pool.start()
    assert health == []
    await pool.close()


# What takes authority away from the zygote itself, before and after it imports anything.
OF_THE_ZYGOTE = (
    ("libc close_descriptors_between fails", "refused"),
    ("confine clear_signal_mask fails", "refused"),
    ("privileges drop_identity fails", "refused"),
    ("libc set_capabilities does nothing", "capset left other capabilities" if IS_ROOT else ""),
    ("confine forbid_dumps fails", "refused"),
    ("confine forbid_new_privileges fails", "refused"),
    ("confine die_with_parent fails", "refused"),
    ("rlimits set_zygote fails", "refused"),
    ("privileges give_up_capabilities fails", "refused"),
    ("privileges reset_signals fails", "refused"),
)


@pytest.mark.parametrize(("breakage", "said"), [case for case in OF_THE_ZYGOTE if case[1]])
async def test_a_zygote_that_keeps_authority_does_not_start(broken: Path, breakage: str, said: str) -> None:
    write(broken, f"langserver.sandbox.{breakage}")
    with pytest.raises(ZygoteError, match=f"the python zygote could not start: .*{said}"):
        await Zygote.start("python", LAYERS)


@pytest.mark.skipif(not IS_ROOT, reason="an ordinary user has no identity to give up")
@pytest.mark.parametrize("function", ["setgroups", "setresgid", "setresuid"])
async def test_a_zygote_that_stays_root_does_not_start(broken: Path, function: str) -> None:
    groups = os.getgroups()
    os.setgroups([0, 1])  # so that there are some to lose
    write(broken, f"os {function} does nothing")
    try:
        with pytest.raises(ZygoteError, match="the user or a group is still another one"):
            await Zygote.start("python", LAYERS)
    finally:
        os.setgroups(groups)


async def test_three_in_a_row_and_it_serves_no_more_until_one_holds(
    broken: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Each step in turn, in one zygote. Of the three that wait one after the other none gets a byte of a task."""
    health: list[bool] = []
    pool = Pool(plan(1), health.append)
    await pool.start()
    try:
        await succeed(pool)
        for step in TAKEN:
            write(broken, step)
            caplog.clear()
            with caplog.at_level(logging.ERROR):
                await fail_a_task(pool, step)
                async with asyncio.timeout(GUARD_SECONDS):
                    while health[-1]:  # noqa: ASYNC110 - the pool has no event for it
                        await asyncio.sleep(0.01)
            assert set(caplog.messages) == {f"a python child could not be sealed: step {step} failed"}
            assert len(caplog.messages) >= 3
            write(broken, "")
            await succeed(pool)
            assert health[-1]
    finally:
        await pool.close()
    assert health == [True, *[False, True] * len(TAKEN)]


async def run(pool: Pool) -> tuple[ErrorKind | None, str]:
    job = make_job(TaskRequest("python", "return 42"), Ceilings(memory_mb=64), "run")
    outcome = await Execution(job, pool, lambda line: None).run()
    failure = outcome.verdict.failure
    return (failure.kind, failure.message) if failure else (None, "")


async def fail_a_task(pool: Pool, step: str) -> None:
    """Until the children that waited sealed are used up."""
    while True:
        kind, message = await run(pool)
        if kind is not None:
            assert kind is ErrorKind.INTERNAL
            assert step in message
            return


async def succeed(pool: Pool) -> None:
    """A last one that was forked before may still fail."""
    while (await run(pool))[0] is not None:
        pass

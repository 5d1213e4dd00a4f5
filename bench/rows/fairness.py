"""A caller with one task at a time, alone and beside another who floods the server."""

from __future__ import annotations

import asyncio
import math
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from bench.calls import Caller, Refused, Task
from bench.context import Context, language_server
from bench.measure import Ratio, Row, at_most

ALONE, FLOODED = "p95 of a light caller, tasks that {}", "p95 of a light caller beside a flood, tasks that {}"
# The flood's tasks are the light caller's: what is shared are slots, and an honest second of a slot is one for both.
_TASKS = {
    "wait 50 ms": Task("python", "import time\ndef main():\n    time.sleep(0.05)\n    return 1\n", expected="1"),
    "compute": Task("python", "def main():\n    return sum([n * n for n in range(60_000)])\n"),
}
_TOKENS = {"light": "light-light-light", "heavy": "heavy-heavy-heavy"}
_FLOOD = 100  # calls at a time: on two cores 4 run, 32 wait, and the rest is sent away
_COME_BACK_SECONDS = 0.2
_PARTS = 5

RATIOS = (
    Ratio(
        "a light caller beside a flood over him alone, p95",
        FLOODED.format("wait 50 ms"),
        (ALONE.format("wait 50 ms"),),
        "one caller's flood waits behind itself",
        at_most(2),
    ),
    Ratio(
        "the same where tasks compute",
        FLOODED.format("compute"),
        (ALONE.format("compute"),),
        "more tasks run than there are cores; a flood's make way, but on a bare host with a scheduling group a session",
    ),
)


def rows(context: Context) -> list[Row]:
    """A server with a token for each of the two. A row has the 95th percentile of each of some stretches."""
    with tempfile.TemporaryDirectory() as folder:
        tokens = Path(folder, "tokens")
        tokens.touch(mode=0o600)
        tokens.write_text("".join(f"{name}:{token}\n" for name, token in _TOKENS.items()))
        with language_server({"LANG_AUTH_TOKENS_FILE": str(tokens)}) as server:
            return [row for kind in _TASKS for row in asyncio.run(_of(kind, server.address, context))]


async def _of(kind: str, address: str, context: Context) -> list[Row]:
    task, count = _TASKS[kind], context.count(60)
    async with Caller(address, _TOKENS["light"]) as light, Caller(address, _TOKENS["heavy"]) as heavy:

        async def p95s() -> tuple[float, ...]:
            return tuple([_p95([one.ns for one in await light.one_at_a_time(task, count)]) for _ in range(_PARTS)])

        alone = await p95s()
        async with _flood(heavy, task):
            flooded = await p95s()
    return [Row(ALONE.format(kind), alone), Row(FLOODED.format(kind), flooded)]


@asynccontextmanager
async def _flood(caller: Caller, task: Task) -> AsyncIterator[None]:
    async def call_on() -> None:
        while True:
            try:
                await caller.once(task)
            except Refused:
                await asyncio.sleep(_COME_BACK_SECONDS)

    calling = [asyncio.create_task(call_on()) for _ in range(_FLOOD)]
    try:
        yield
    finally:
        for call in calling:
            call.cancel()
        for call in calling:
            with suppress(asyncio.CancelledError):
                await call


def _p95(samples: Sequence[float]) -> float:
    return sorted(samples)[math.ceil(0.95 * len(samples)) - 1]

"""Whether the server grows with what it has run. Takes minutes, so it runs only when it is asked for by name."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

from bench.calls import Caller
from bench.context import Context, language_server
from bench.measure import Ratio, Row, Unit, at_most
from bench.processes import held, settled_pss
from bench.tasks import INVOICE

LONG = True

EARLY, LATE = "PSS of the server after 1,000 executions", "PSS of the server after 50,000 executions"
RATIOS = (Ratio("server memory after 50,000 executions over 1,000", LATE, (EARLY,), "1 keeps nothing", at_most(1.05)),)

_CALLERS = 8
_EVERY = 10  # one in so many is JavaScript


def rows(context: Context) -> list[Row]:
    """Ordinary tasks by eight callers, nine in ten Python; PSS while nothing runs."""
    marks = {EARLY: 20, LATE: 100} if context.quick else {EARLY: 1_000, LATE: 50_000}
    with language_server({}) as server:
        held(server.pid)  # before minutes are spent: may it be looked at?
        return asyncio.run(_rows(server.address, server.pid, marks))


async def _rows(address: str, pid: int, marks: dict[str, int]) -> list[Row]:
    rows = []
    done = 0
    async with Caller(address) as caller:
        for name, until in marks.items():
            numbers = iter(range(done, until))
            await asyncio.gather(*(_call_on(caller, numbers) for _ in range(_CALLERS)))
            done = until
            print(f"  {done} executions", file=sys.stderr)
            rows.append(Row(name, await asyncio.to_thread(settled_pss, pid), unit=Unit.SIZE))
    return rows


async def _call_on(caller: Caller, numbers: Iterator[int]) -> None:
    for number in numbers:
        await caller.once(INVOICE["python" if number % _EVERY else "js"])

"""Whether a worker bridge grows with what it has passed on. Takes minutes, so it runs only when asked for by name."""

from __future__ import annotations

import asyncio
import sys

from bench.context import Context
from bench.measure import Ratio, Row, Unit, at_most
from bench.processes import held, settled_pss
from bench.rows.bridge import drained, noop_bridge

LONG = True

EARLY, LATE = "PSS of a bridge after 1,000 tasks", "PSS of a bridge after 50,000 tasks"
RATIOS = (Ratio("bridge memory after 50,000 tasks over 1,000", LATE, (EARLY,), "1 keeps nothing", at_most(1.05)),)

_AT_ONCE = 1_000  # in the stream, so that Redis' own memory is no matter


def rows(context: Context) -> list[Row]:
    """Trivial tasks; PSS while none runs."""
    marks = {EARLY: 20, LATE: 100} if context.quick else {EARLY: 1_000, LATE: 50_000}
    found, done = [], 0
    with noop_bridge(context) as (bridge, port):
        held(bridge.pid)  # before minutes are spent: may it be looked at?
        for name, until in marks.items():
            while done < until:
                asyncio.run(drained(port, bridge, min(_AT_ONCE, until - done)))
                done += min(_AT_ONCE, until - done)
            print(f"  {done} tasks", file=sys.stderr)
            found.append(Row(name, settled_pss(bridge.pid), unit=Unit.SIZE))
    return found

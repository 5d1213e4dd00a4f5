"""What a fork costs once the zygote's modules are loaded: grows with every module that a child does not need."""

from __future__ import annotations

from bench.context import Context
from bench.measure import Ratio, Row
from bench.rows.baselines import BARE_FORK

PRELOADED_FORK = "fork, exit and reap with the Python zygote's modules"

RATIOS = (Ratio("weight of the zygote", PRELOADED_FORK, (BARE_FORK,), "1 would be a zygote that loads nothing"),)


def rows(context: Context) -> list[Row]:
    """Forking a preloaded process, without jail or task."""
    return [Row(PRELOADED_FORK, context.driver("preloaded_fork", str(context.count(500))))]

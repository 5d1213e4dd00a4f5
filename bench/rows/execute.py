"""Whole calls: a trivial task of each runtime through a server with default settings, one caller."""

from __future__ import annotations

import asyncio

from bench.calls import Caller, Taken
from bench.context import Context
from bench.measure import Ratio, Row, at_least, at_most
from bench.parts import call_parts
from bench.rows.baselines import BARE_FORK, BARE_FORK_APART, ECHO, ECHO_APART, PAUSE_MS
from bench.rows.interpreter import FRESH
from bench.tasks import TRIVIAL

PYTHON = f"Execute python, trivial task, {PAUSE_MS} ms apart"
JS = f"Execute js, trivial task, {PAUSE_MS} ms apart"
APART = {"python": PYTHON, "js": JS}
AT_ONCE = {"python": "Execute python, trivial task, back to back", "js": "Execute js, trivial task, back to back"}
ALONE = "{}, one call at a time"

RATIOS = (
    Ratio(
        "a Python task over the floor",
        PYTHON,
        (ECHO, BARE_FORK),
        "the floor is a call and a fork that do nothing, without a pause",
        at_most(1.5, aim=1.0),
    ),
    Ratio(
        "a Python task over a floor with the same pauses",
        PYTHON,
        (ECHO_APART, BARE_FORK_APART),
        "a core that slept is slow for both",
    ),
    Ratio("a JavaScript task over the floor", JS, (ECHO, BARE_FORK), "likewise"),
    Ratio("a JavaScript task over a Python task", JS, (PYTHON,), "both by a warm child", at_most(1.8)),
    Ratio("a fresh interpreter over a Python task", FRESH, (PYTHON,), "what forking saves", at_least(25)),
)


def rows(context: Context) -> list[Row]:
    """The time from the request to the response, as its caller sees it."""
    return asyncio.run(_rows(context))


async def _rows(context: Context) -> list[Row]:
    found: list[Row] = []
    parts: list[Row] = []
    async with Caller(context.language_server().address) as caller:
        for runtime, task in TRIVIAL.items():
            apart = await caller.one_at_a_time(task, context.count(400), PAUSE_MS / 1000)
            at_once = await caller.one_at_a_time(task, context.count(200))
            found += [Row(APART[runtime], times(apart)), Row(AT_ONCE[runtime], times(at_once))]
            parts += call_parts(ALONE.format(runtime), apart)
    return found + parts


def times(taken: list[Taken]) -> tuple[int, ...]:
    """Their nanoseconds."""
    return tuple(one.ns for one in taken)

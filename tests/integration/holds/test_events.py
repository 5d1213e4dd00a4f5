"""What a layer refused is told, also when the program caught it and lived on."""

from __future__ import annotations

from collections import Counter

from langserver.core.outcome import ErrorKind
from langserver.zygote.execution import Outcome
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import one_zygote

# Plain CPython: with the policy there is nothing that the next layer could refuse.
LAYERS = frozenset({"audit", "privileges", "rlimits", "seccomp"})


async def run(code: str) -> Outcome:
    async with one_zygote("python", LAYERS) as supply:
        return await supply.run(TaskRequest("python", code))


async def test_a_refusal_that_a_program_survives_is_an_event_and_no_failure() -> None:
    outcome = await run("import os\ntry:\n    os.system('true')\nexcept OSError:\n    result = 'lived on'")
    assert outcome.verdict.report is not None
    assert outcome.verdict.report.output == b'"lived on"'
    assert [(event.layer, event.action, event.detail) for event in outcome.events] == [("audit", "denied", "os.system")]


async def test_a_refusal_that_ends_a_program_is_both() -> None:
    outcome = await run("import os\nos.system('true')")
    assert outcome.verdict.failure is not None
    assert outcome.verdict.failure.kind is ErrorKind.SANDBOX_VIOLATION
    assert [event.detail for event in outcome.events] == ["os.system"]


async def test_of_many_events_the_last_64_are_told() -> None:
    code = """
import os
for _ in range(100):
    try:
        os.system("true")
    except OSError:
        pass
"""
    outcome = await run(code)
    assert len(outcome.events) == 64
    assert Counter(event.layer for event in outcome.events) == {"audit": 64}


async def test_a_syntax_error_is_no_event() -> None:
    outcome = await run("def main(:")
    assert outcome.verdict.failure is not None
    assert outcome.verdict.failure.kind is ErrorKind.SYNTAX_ERROR
    assert outcome.events == ()

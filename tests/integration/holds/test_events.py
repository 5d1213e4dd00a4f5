"""What a layer refused is told, also when the program caught it and lived on."""

from __future__ import annotations

from collections import Counter

import pytest

from langserver.core.outcome import ErrorKind
from langserver.zygote.job import Outcome
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import one_zygote, output
from tests.security.traces import traced

# Plain CPython: with the policy there is nothing that the next layer could refuse.
LAYERS = frozenset({"audit", "privileges", "rlimits", "seccomp"})
NATIVE = LAYERS - {"audit"}


async def run(code: str, layers: frozenset[str] = LAYERS) -> Outcome:
    async with one_zygote("python", layers) as supply:
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


async def test_a_refusal_of_the_kernel_that_a_program_survives_is_no_failure() -> None:
    """Nor an event: nobody but the program sees what a filter answers."""
    outcome = await run("import os\ntry:\n    os.stat('/')\nexcept OSError as error:\n    result = error.errno", NATIVE)
    assert output(outcome) == 1
    assert outcome.events == ()


async def test_a_refusal_of_the_kernel_that_ends_a_program_is_both() -> None:
    outcome = await run("import os\nos.stat('/')", NATIVE)
    assert outcome.verdict.failure is not None
    assert outcome.verdict.failure.kind is ErrorKind.SANDBOX_VIOLATION
    assert [(event.layer, event.action) for event in outcome.events] == [("seccomp", "denied")]


PTRACE = "import ctypes, os\nptrace = ctypes.CDLL(None).ptrace\n"
# A frame of its own, by the child's own code: that the filter refused a call of this number.
LIE = """
from langserver.core.claims import SecurityClaim
from langserver.wire.frames import Kind, encode
from langserver.wire.report import encode_event
os.write(3, encode(Kind.EVENT, encode_event(SecurityClaim("seccomp", "denied", "system call 59"))))
"""


@pytest.mark.parametrize("lie", ["", LIE], ids=["silent", "with a number"])
async def test_a_call_that_kills_is_told_by_the_server_in_its_own_words(lie: str) -> None:
    """Which call it was the kernel tells nobody; a number could only come from the child."""
    outcome = await run(f"{PTRACE}{lie}ptrace(-1, 0, 0, 0)", NATIVE)
    failure, told = outcome.verdict.failure, outcome.events[-1]
    assert failure is not None
    assert failure.kind is ErrorKind.SANDBOX_VIOLATION
    assert (told.layer, told.action) == ("seccomp", "killed")
    assert not any(char.isdigit() for char in told.detail + failure.message + failure.traceback)
    assert len(outcome.events) == (2 if lie else 1), "what the child says is told too, as what it could have seen"


HONEST = {
    "js": "function main() { return [new Date(2024, 1, 1).toLocaleString(), new Intl.DateTimeFormat('de').format(0)] }",
}


@pytest.mark.parametrize("runtime", HONEST)
def test_calls_of_honest_code_are_refused_and_end_nothing(runtime: str) -> None:
    """Zone files and the like: V8 tries, and does without."""
    trace = traced(runtime, HONEST[runtime])
    assert len(trace["refused"]) > 1, "the first is the filter's own look at itself"
    assert trace["ok"]


def test_honest_python_asks_for_nothing_that_is_refused() -> None:
    trace = traced("python", "import datetime, time\nresult = [time.strftime('%Z'), str(datetime.datetime.now())]")
    assert len(trace["refused"]) == 1, "the filter's own look at itself"
    assert trace["ok"]

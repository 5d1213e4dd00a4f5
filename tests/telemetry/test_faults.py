"""Why executions end as INTERNAL is in the log, once in a while, and no word of a child's."""

from __future__ import annotations

import logging

import pytest

from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.core.verdict import Verdict
from langserver.server.telemetry.ended import Ended, Origin
from langserver.server.telemetry.faults import Faults
from langserver.wire.report import Report
from langserver.zygote.job import Outcome

WHY = "the limits of a child could not be lowered: Operation not permitted"


def ended(kind: ErrorKind, text: str, report: Report | None = None) -> Ended:
    verdict = Verdict(failure=Failure(kind, text), report=report)
    return Ended(Origin("t", "r"), "python", "run", Outcome(verdict), 0.0, 0.0, 1.0)


async def test_a_thousand_for_one_reason_are_one_line(caplog: pytest.LogCaptureFixture) -> None:
    faults = Faults()
    for _ in range(1000):
        faults.ended(ended(ErrorKind.INTERNAL, WHY))
    faults.ended(ended(ErrorKind.INTERNAL, "no process"))
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 2
    first, second = caplog.messages
    assert first.startswith(f"python tasks end as INTERNAL: {WHY}: ")
    assert "`langserver doctor`" in first
    assert "no process" in second


async def test_what_is_the_tasks_own_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    faults = Faults()
    claimed = Failure(ErrorKind.INTERNAL, "secret")
    faults.ended(ended(ErrorKind.INTERNAL, "secret", Report(failures=(claimed,))))
    faults.ended(ended(ErrorKind.USER_ERROR, "secret"))
    assert caplog.messages == []

"""The audit log: what is told, how much of it, and what is not."""

from __future__ import annotations

import asyncio
import logging
import re
from pathlib import Path
from typing import Any

import pytest

from coordinator import audit as coordinators
from langserver.core.claims import Failure, SecurityClaim
from langserver.core.outcome import ErrorKind
from langserver.core.verdict import Verdict
from langserver.server.telemetry import audit
from langserver.server.telemetry.audit import LOGGER, Audit, Event
from langserver.server.telemetry.ended import Ended, Origin
from langserver.wire.channel import MAX_EVENTS
from langserver.wire.report import EVENT_ACTIONS, EVENT_LAYERS
from langserver.zygote.job import Outcome
from operating.telemetry.flood import WINDOW_SECONDS, Flood
from worker_bridge import audit as bridges

SECRET = "what a child says of itself"
DENIED = SecurityClaim("seccomp", "denied", SECRET)


def ended(kind: ErrorKind | None, *events: SecurityClaim, principal: str = "token:ann", mode: Any = "run") -> Ended:
    failure = None if kind is None else Failure(kind, SECRET)
    outcome = Outcome(Verdict(failure=failure), events=events)
    return Ended(Origin("t", "r", "", principal), "python", mode, outcome, 0.0, 0.0, 1.0)


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Any:
    """Fields and level of each line so far."""
    caplog.set_level(logging.INFO, LOGGER)

    def lines() -> list[dict[str, Any]]:
        assert SECRET not in caplog.text
        return [{**record.fields, "level": record.levelname} for record in caplog.records if record.name == LOGGER]  # type: ignore[attr-defined]

    return lines


async def test_who_wants_more_than_there_is_is_named_and_takes_no_line_from_others(told: Any) -> None:
    one = Audit()
    for _ in range(300):
        one.wants_more("token:heavy\0spiffe://a", "queue_full")
    one.wants_more("token:light", "queue_full")
    one.close()
    heavy, light = (
        {"event": "CALL_REFUSED", "reason": "queue_full", "level": "WARNING", "principal": name}
        for name in ("token:heavy spiffe://a", "token:light")
    )
    assert told() == [heavy, heavy, light, heavy | {"left_out": 298}]


@pytest.mark.parametrize(
    ("peer", "shown"),
    [
        ("ipv4:10.0.0.7:{}", "ipv4:10.0.0.7"),
        ("ipv6:%5Bfe80::1%5D:{}", "ipv6:%5Bfe80::1%5D"),
        ("unix:/tmp/" + SECRET + "{}", "a unix socket"),
    ],
)
async def test_who_has_no_name_is_told_by_his_host_and_not_by_what_he_chooses(told: Any, peer: str, shown: str) -> None:
    one = Audit()
    for port in range(1000, 1300):
        one.wants_more(peer.format(port), "queue_full")
    one.close()
    line = {"event": "CALL_REFUSED", "reason": "queue_full", "level": "WARNING", "caller": shown}
    assert told() == [line, line, line | {"left_out": 298}]


async def test_a_violation_has_its_layer_and_its_task(told: Any) -> None:
    Audit().ended(ended(ErrorKind.SANDBOX_VIOLATION, DENIED, DENIED, SecurityClaim("audit", "denied", "")))
    common = {
        "event": "SANDBOX_VIOLATION",
        "status": "SANDBOX_VIOLATION",
        "runtime": "python",
        "task_id": "t",
        "run_id": "r",
        "principal": "token:ann",
        "level": "WARNING",
    }
    assert told() == [
        common | {"layer": "seccomp", "action": "denied", "count": 2},
        common | {"layer": "audit", "action": "denied", "count": 1},
    ]


@pytest.mark.parametrize(
    ("kind", "events", "event", "level"),
    [
        (None, (DENIED,), "ATTEMPT", "INFO"),
        (ErrorKind.USER_ERROR, (DENIED,), "ATTEMPT", "INFO"),
        (ErrorKind.POLICY_VIOLATION, (), "POLICY_VIOLATION", "INFO"),
        (ErrorKind.CRASHED, (), "CRASHED", "WARNING"),
        (ErrorKind.MEMORY_LIMIT, (SecurityClaim("watch", "killed", ""),), "ATTEMPT", "WARNING"),
    ],
)
async def test_what_is_told(
    told: Any, kind: ErrorKind | None, events: tuple[SecurityClaim, ...], event: str, level: str
) -> None:
    Audit().ended(ended(kind, *events))
    assert [(line["event"], line["level"]) for line in told()] == [(event, level)]


@pytest.mark.parametrize("kind", [None, ErrorKind.USER_ERROR, ErrorKind.TIMEOUT, ErrorKind.MEMORY_LIMIT])
async def test_what_is_none(told: Any, kind: ErrorKind | None) -> None:
    one = Audit()
    one.ended(ended(kind))
    one.ended(ended(ErrorKind.POLICY_VIOLATION, mode="validate"))
    assert told() == []


async def test_a_flood_of_one_principal_hides_nobody_else(told: Any) -> None:
    one = Audit()
    for _ in range(1000):
        one.ended(ended(ErrorKind.POLICY_VIOLATION, principal="token:loud"))
    one.ended(ended(ErrorKind.POLICY_VIOLATION, principal="token:quiet"))
    one.ended(ended(ErrorKind.SANDBOX_VIOLATION, DENIED, principal="token:loud"))
    one.tell(Event.ZYGOTE_LOST, runtime="js")
    written = told()
    assert len(written) == 23
    assert [line["event"] for line in written[-3:]] == ["POLICY_VIOLATION", "SANDBOX_VIOLATION", "ZYGOTE_LOST"]
    one.close()
    last = {"event": "POLICY_VIOLATION", "left_out": 980, "principal": "token:loud", "level": "WARNING"}
    assert told()[23:] == [last]


async def test_a_task_that_claims_all_there_is_has_few_lines_and_none_of_its_words(told: Any) -> None:
    """What a child may claim is a closed list; that the kernel killed it is not among that."""
    claims = [
        SecurityClaim(layer, action, f"{SECRET}\nERROR {number}")
        for number in range(MAX_EVENTS)
        for layer in EVENT_LAYERS
        for action in EVENT_ACTIONS
    ]
    Audit().ended(ended(ErrorKind.USER_ERROR, *claims))
    assert len(told()) == len(EVENT_LAYERS) * len(EVENT_ACTIONS) < 20
    assert "killed" not in EVENT_ACTIONS
    assert {line["level"] for line in told()} == {"INFO"}


async def test_what_was_left_out_is_said_though_nothing_more_comes(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operating.telemetry.flood.WINDOW_SECONDS", 0.1)
    one = Audit()
    for _ in range(50):
        one.tell(Event.TOKEN_REFUSED)
    async with asyncio.timeout(60):
        while "left_out" not in told()[-1]:  # noqa: ASYNC110 - the log has no event
            await asyncio.sleep(0.01)
    assert told()[-1]["left_out"] == 48


def test_windows_end_and_begin_anew() -> None:
    flood = Flood()
    assert [flood.admits("a", 20, 0.0) for _ in range(25)] == [True] * 20 + [False] * 5
    assert flood.over(WINDOW_SECONDS - 0.1) == []
    assert flood.over(WINDOW_SECONDS) == [("a", 5)]
    assert not flood.is_counting
    assert flood.admits("a", 20, WINDOW_SECONDS)


def test_however_many_keys_there_are_few_are_kept() -> None:
    flood = Flood()
    admitted = sum(flood.admits(number, 20, 0.0) for number in range(10_000))
    assert admitted == 256 + 20
    assert dict(flood.over(WINDOW_SECONDS)) == {None: 10_000 - admitted}


def test_the_page_has_every_event_of_every_audit_log() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/operations.md").read_text()
    section = page.partition("\n### The audit log\n")[2].partition("\n## ")[0]
    written = {
        (log, event)
        for events, logs in re.findall(r"^\| ([^|]+) \| ([^|]+) \|", section, re.MULTILINE)
        for event in re.findall(r"`([A-Z_]+)`", events)
        for log in re.findall(r"[a-z_]+", logs)
    }
    told = {
        "langserver": {
            *(event.name for event in Event),
            *(kind.name for kind in audit._OUTCOMES),
            "ATTEMPT",
            audit.CALL_REFUSED,
        },
        "worker_bridge": {
            *(event for event, _ in (bridges._MALFORMED, bridges._REFUSED, bridges._EGRESS)),
            *(event for event, _ in bridges._DENIALS.values()),
        },
        "coordinator": {
            *(event.name for event in coordinators._Stranger),
            *(event for event, _ in coordinators._ENTRIES.values()),
            *(event for event, _ in (coordinators._REPORT, coordinators._REQUEUED, coordinators._DROPPED)),
        },
    }
    assert written == {(log, event) for log, events in told.items() for event in events}

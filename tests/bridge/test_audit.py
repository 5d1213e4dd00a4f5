"""The bridge's audit log: entries that are no task's, and requests that may not go where they want."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from redis.asyncio import Redis

from tests.bridge.bridges import HeldExecutor, Starter
from tests.bridge.coordinator import TableCoordinator
from tests.bridge.tasks import a_task, fields
from tests.bridge.waiting import until
from worker_bridge.audit import LOGGER, Audit
from worker_bridge.core.delivery import Denial
from worker_bridge.executors.egress.policy import Policy
from worker_bridge.executors.egress.refusal import Reason
from worker_bridge.executors.http.executor import HttpExecutor
from worker_bridge.metrics import Metrics
from worker_bridge.streams.port import Entry

STREAM = "tasks:python:0"
SECRET = "what an entry holds"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT = f"00-{TRACE}-00f067aa0ba902b7-01"

Told = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Told:
    caplog.set_level(logging.INFO, LOGGER)

    def lines() -> list[dict[str, Any]]:
        found = [record for record in caplog.records if record.name == LOGGER]
        assert not any(SECRET in f"{record.getMessage()}{record.__dict__}" for record in found)
        return [{**record.fields, "level": record.levelname} for record in found]  # type: ignore[attr-defined]

    return lines


async def test_entries_that_are_no_task_s(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter, told: Told
) -> None:
    task = a_task(traceparent=TRACEPARENT)
    coordinator.add(task)
    await bridges(HeldExecutor(free=True))
    forged = fields(replace(task, input=json.dumps({"code": SECRET})))
    sent = [
        await redis.xadd(STREAM, {"payload": f'{{"task_id": {SECRET}'}),
        await redis.xadd(STREAM, forged),
        await redis.xadd(STREAM, {**forged, "task_id": "of-nobody"}),
    ]
    await until(lambda: len(told()) == 3, 60)
    named = {"run_id": "run", "trace_id": TRACE}
    found = {line.pop("entry"): line for line in told()}
    known = {"level": "WARNING", "stream": STREAM}
    assert found == {
        sent[0].decode(): {"event": "ENTRY_MALFORMED", **known},
        sent[1].decode(): {"event": "ENTRY_FORGED", "task_id": task.task_id, **named, **known},
        sent[2].decode(): {"event": "ENTRY_OF_NO_TASK", "task_id": "of-nobody", **named, **known},
    }


async def test_what_happens_every_day_is_none(
    redis: Redis, coordinator: TableCoordinator, bridges: Starter, told: Told
) -> None:
    task = a_task()
    coordinator.add(task)
    await bridges(HeldExecutor(free=True))
    await redis.xadd(STREAM, fields(task))
    await until(lambda: coordinator.state(task.task_id) == "COMPLETED", 60)
    await redis.xadd(STREAM, fields(task))  # a copy, which is done
    await until(lambda: len(coordinator.acquires) == 2, 60)
    assert told() == []


@pytest.mark.parametrize(
    ("url", "reason", "level"),
    [
        ("http://127.0.0.1:1/", "address", "INFO"),
        ("http://169.254.169.254/latest/meta-data/", "metadata", "WARNING"),
        (f"http://user:{SECRET.replace(' ', '-')}@example.com/", "userinfo", "INFO"),
        ("file:///etc/passwd", "scheme", "INFO"),
    ],
)
async def test_a_request_that_may_not_go_where_it_wants(told: Told, url: str, reason: str, level: str) -> None:
    audit = Audit()
    http = HttpExecutor(Policy(), Metrics(), refused=audit.egress_refused)
    asked = json.dumps({"method": "GET", "url": url})
    task = a_task(task_id="t", node_type="http", input=asked, traceparent=TRACEPARENT, attempt=2)
    assert not (await http.execute(task, 5)).completed
    named = {"task_id": "t", "run_id": "run", "trace_id": TRACE, "attempt": 2}
    assert told() == [{"event": "EGRESS_REFUSED", "reason": reason, "level": level, **named}]
    await http.close()


async def test_a_flood_in_one_stream_hides_nothing_of_another(told: Told) -> None:
    audit, task = Audit(), a_task()
    for number in range(500):
        audit.denied(Entry(STREAM, f"{number}-0", {}), task, Denial.MISMATCH)
    audit.denied(Entry("tasks:js:0", "1-0", {}), task, Denial.MISMATCH)
    audit.malformed(Entry(STREAM, "1-0", {}))
    audit.refused(Entry(STREAM, "2-0", {}), task)
    audit.egress_refused(task, Reason.METADATA)
    for why in set(Denial) - {Denial.MISMATCH, Denial.UNKNOWN_TASK}:
        audit.denied(Entry("tasks:js:0", "1-0", {}), task, why)
    events = [line["event"] for line in told()]
    assert events == ["ENTRY_FORGED"] * 21 + ["ENTRY_MALFORMED", "ENTRY_REFUSED", "EGRESS_REFUSED"]
    audit.close()
    assert told()[-1] == {"event": "ENTRY_FORGED", "left_out": 480, "stream": STREAM, "level": "WARNING"}

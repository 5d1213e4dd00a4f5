"""The coordinator's audit log, and the traces that its lines name: through the calls that cause them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc as pb_grpc
from tests.coordinator.service.conftest import Caller, Start, digest_of

TRACE, OTHER = "4bf92f3577b34da6a3ce929d0e0e4736", "0af7651916cd43dd8448eb211c80319c"
SECRET = "what a task holds"


def traceparent(trace_id: str) -> str:
    return f"00-{trace_id}-00f067aa0ba902b7-01"


Told = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Told:
    """Fields and level of the lines so far of one logger."""
    caplog.set_level(logging.INFO, "coordinator")

    def lines(logger: str = "coordinator.audit") -> list[dict[str, Any]]:
        assert SECRET not in caplog.text
        found = [record for record in caplog.records if record.name == logger]
        return [{**record.fields, "level": record.levelname} for record in found]  # type: ignore[attr-defined]

    return lines


async def leased(caller: Caller, **fields: object) -> pb.AcquireTaskLeaseResponse:
    await caller.submit("t", input=f'{{"code": "{SECRET}"}}'.encode(), **fields)
    await caller.in_state("QUEUED")
    return await caller.acquire(attempt=1)


async def test_an_entry_that_is_not_its_task_s(caller: Caller, told: Told) -> None:
    await caller.submit("t")
    await caller.in_state("QUEUED")
    ((_, entry),) = await caller.entries()
    forged = digest_of({**entry, "input": f'{{"code": "{SECRET}"}}'})
    request = pb.AcquireTaskLeaseRequest(task_id="t", run_id="r", owner="w1", attempt=1, task_digest=forged)
    await caller.workflow.AcquireTaskLease(request, metadata=(("traceparent", traceparent(TRACE)),))
    named = {"task_id": "t", "run_id": "r", "trace_id": TRACE, "attempt": 1, "worker": "w1"}
    assert told() == [{"event": "ENTRY_FORGED", "level": "WARNING", **named}]


async def test_an_entry_of_no_task(caller: Caller, told: Told) -> None:
    await caller.acquire("nobody's", attempt=1)
    named = {"task_id": "nobody's", "run_id": "r", "attempt": 1, "worker": "w1"}
    assert told() == [{"event": "ENTRY_OF_NO_TASK", "level": "WARNING", **named}]


async def test_what_happens_every_day_is_none(caller: Caller, told: Told) -> None:
    lease = await leased(caller)
    assert lease.acquired
    assert not (await caller.acquire(owner="w2", attempt=1)).acquired  # held
    assert not (await caller.acquire(owner="w2", attempt=7)).acquired  # superseded
    assert (await caller.report(fence=lease.fence)).accepted
    assert not (await caller.acquire(attempt=1)).acquired  # done
    assert told() == []


@pytest.mark.parametrize(
    ("said", "reason", "level"),
    [
        ({"task_id": "nobody's"}, "no_task", "WARNING"),
        ({"fence": 77}, "fence", "INFO"),
        ({"attempt": 7}, "attempt", "INFO"),
        ({"owner": "thief"}, "owner", "WARNING"),
    ],
)
async def test_a_report_that_fits_no_lease(
    caller: Caller, told: Told, said: dict[str, Any], reason: str, level: str
) -> None:
    await leased(caller)
    assert not (await caller.report(output=f'"{SECRET}"'.encode(), **said)).accepted
    (line,) = told()
    assert (line["event"], line["reason"], line["level"]) == ("REPORT_REFUSED", reason, level)
    assert line.get("worker", "") == said.get("owner", "w1")


async def test_a_report_that_comes_when_all_is_over(caller: Caller, told: Told) -> None:
    lease = await leased(caller, traceparent=traceparent(TRACE))
    await caller.report(fence=lease.fence)
    assert not (await caller.report(fence=lease.fence)).accepted
    (line,) = told()
    assert (line["reason"], line["level"], line["trace_id"]) == ("not_running", "INFO", TRACE)


async def test_who_it_was_where_tokens_have_names(start: Start, told: Told, tmp_path: Any) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("bridge:a-token-of-sixteen\n")
    tokens.chmod(0o600)
    caller = await start(auth_tokens_file=tokens)
    request = pb.AcquireTaskLeaseRequest(task_id="nobody's", run_id="r", owner="w1")
    await caller.workflow.AcquireTaskLease(request, metadata=(("authorization", "Bearer a-token-of-sixteen"),))
    for wrong in ("", "Bearer another-token-of-it"):
        with pytest.raises(grpc.aio.AioRpcError, match="UNAUTHENTICATED"):
            await caller.workflow.AcquireTaskLease(request, metadata=(("authorization", wrong),))
    events = [(line["event"], line.get("principal"), line.get("count")) for line in told()]
    refused = ("TOKEN_REFUSED", None, 1)
    assert events == [("ENTRY_OF_NO_TASK", "token:bridge", None), refused, refused]


async def test_a_flood_is_few_lines_and_a_number(start: Start, told: Told) -> None:
    caller = await start()
    for number in range(100):
        await caller.acquire(f"none-{number}", attempt=1)
    await caller.report("none")
    await caller.coordinator.stop()
    lines = told()
    asked = [line for line in lines if line["event"] == "ENTRY_OF_NO_TASK"]
    written = [line for line in asked if "left_out" not in line]
    assert 20 <= len(written) < 100
    assert len(written) + sum(line.get("left_out", 0) for line in asked) == 100
    assert [line["reason"] for line in lines if line["event"] == "REPORT_REFUSED"] == ["no_task"], "hidden by nobody"


@pytest.mark.parametrize(
    ("of_task", "of_call", "shown"),
    [
        (TRACE, "", TRACE),
        (TRACE, traceparent(OTHER), OTHER),
        (TRACE, "00-" + "0" * 32 + "-00f067aa0ba902b7-01", TRACE),
        (TRACE, f"00-{SECRET}", TRACE),
        ("", "", None),
    ],
)
async def test_the_line_of_an_attempt_names_its_trace(
    caller: Caller, told: Told, of_task: str, of_call: str, shown: str | None
) -> None:
    """The call's, which goes on from the task's where the worker is one of ours; else the task's."""
    lease = await leased(caller, **({"traceparent": traceparent(of_task)} if of_task else {}))
    request = pb.ReportTaskResultRequest(
        task_id="t", run_id="r", status="completed", owner="w1", attempt=1, fence=lease.fence, output=b"1"
    )
    metadata = (("traceparent", of_call),) if of_call else ()
    assert (await pb_grpc.WorkflowServiceStub(caller.channel).ReportTaskResult(request, metadata=metadata)).accepted
    (line,) = told("coordinator.tasks")
    assert line.get("trace_id") == shown


async def test_what_an_operator_does_with_dead_letters(caller: Caller, told: Told) -> None:
    await caller.submit("t", max_attempts=1)
    await caller.report("t", "failed", fence=(await caller.acquire("t")).fence, error="no")
    stream = f"{caller.stream()}:dead"
    again = await caller.redis.xadd(stream, {"task_id": "t", "run_id": "r", "reason": SECRET})
    gone = [await caller.redis.xadd(stream, {"payload": SECRET, "reason": SECRET}) for _ in range(17)]
    request = pb.RequeueDeadLettersRequest(letters=[f"{stream}/{again}", f"{stream}/{gone[0]}"])

    await caller.tasks.RequeueDeadLetters(request)
    for _ in range(2):  # the second finds nothing, and says nothing
        await caller.tasks.DropDeadLetters(pb.DropDeadLettersRequest(older_than_seconds=0))

    requeued, dropped = told()
    assert requeued == {"event": "LETTERS_REQUEUED", "level": "INFO", "count": 1, "letters": f"{stream}/{again}"}
    first = " ".join(f"{stream}/{entry_id}" for entry_id in gone[:16])
    assert dropped == {"event": "LETTERS_DROPPED", "level": "INFO", "count": 17, "letters": first}

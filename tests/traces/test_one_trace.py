"""One trace goes through coordinator, stream, bridge and language server, all of them real processes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import grpc
import psutil
import pytest
import redis

from coordinator.pb import coordinator_pb2 as pb
from langserver.pb import lang_pb2
from tests.traces.collector import Collector, Span
from tests.traces.conftest import Installation

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PLACE = f"00-{TRACE}-{SPAN}-01"
PHASES = ["queue", "spawn", "seal", "compile", "run", "report"]
INTERNAL, SERVER, CLIENT, CONSUMER = 1, 2, 3, 5  # opentelemetry/proto/trace/v1/trace.proto
EXECUTE = "lang.v1.LanguageServer/Execute"
ACQUIRE, REPORT = "workflow.v1.WorkflowService/AcquireTaskLease", "workflow.v1.WorkflowService/ReportTaskResult"
SUBMIT = "workflow.v1.Coordinator/SubmitTasks"


def a_task(code: str = "return 6 * 7", **more: object) -> pb.NewTask:
    return pb.NewTask(node_type="python", input=json.dumps({"code": code}).encode(), **more)  # type: ignore[arg-type]


def one(spans: list[Span], service: str, name: str) -> Span:
    (found,) = [span for span in spans if (span.service, span.name) == (service, name)]
    return found


def whole(collector: Collector, trace_id: Callable[[], str]) -> list[Span]:
    """All spans of a task's way: the one of its entry comes last, since it ends last."""
    collector.until(
        lambda: (
            {("worker-bridge", "process"), ("langserver", "report"), ("coordinator", REPORT)}
            <= {(span.service, span.name.partition(" tasks:")[0]) for span in collector.of(trace_id())}
        ),
        "spans of all three",
    )
    return collector.of(trace_id())


def check_tree(spans: list[Span], above: str) -> None:
    """Everything below the entry's span, whose parent is `above`."""
    entry = one(spans, "worker-bridge", "process tasks:python:0")
    assert (entry.parent_id, entry.kind, entry.failed) == (above, CONSUMER, False)
    for step, method, service in (
        ("lease", ACQUIRE, "coordinator"),
        ("execute", EXECUTE, "langserver"),
        ("report", REPORT, "coordinator"),
    ):
        ours = one(spans, "worker-bridge", step)
        call, answer = one(spans, "worker-bridge", method), one(spans, service, method)
        assert (ours.parent_id, ours.kind) == (entry.span_id, INTERNAL)
        assert (call.parent_id, call.kind) == (ours.span_id, CLIENT)
        assert (answer.parent_id, answer.kind) == (call.span_id, SERVER)
        assert entry.begin <= ours.begin <= call.begin <= answer.begin
        assert answer.end <= call.end <= ours.end <= entry.end
        assert call.values["rpc.response.status_code"] == answer.values["rpc.response.status_code"] == "OK"
    executed = one(spans, "langserver", EXECUTE)
    parts = [one(spans, "langserver", name) for name in PHASES]
    assert {part.parent_id for part in parts} == {executed.span_id}
    assert executed.begin <= parts[0].begin
    assert [part.end for part in parts[:-1]] == [part.begin for part in parts[1:]]
    assert all(part.begin <= part.end for part in parts)
    assert parts[-1].end == executed.end


def test_a_task_without_a_place_has_one_trace_from_its_submission_on(installation: Installation) -> None:
    done = installation.submit(
        a_task("import time\ntime.sleep(0.2)\nreturn 1", run_id="r1", task_id="t1", node_id="n1")
    )
    assert done.state == pb.TASK_STATE_COMPLETED

    def trace_id() -> str:
        return next((s.trace_id for s in installation.collector.spans if s.values.get("langserver.run_id") == "r1"), "")

    spans = whole(installation.collector, trace_id)
    submitted = one(spans, "coordinator", SUBMIT)
    assert submitted.parent_id == ""
    check_tree(spans, above=submitted.span_id)
    assert [span.values["langserver.run_id"] for span in spans if "langserver.task_id" in span.values] == ["r1"] * 5
    entry = one(spans, "worker-bridge", "process tasks:python:0")
    known = {
        "messaging.system": "redis",
        "messaging.destination.name": "tasks:python:0",
        "messaging.operation.type": "process",
        "messaging.consumer.group.name": "workers",
        "messaging.client.id": "w1",
        "langserver.task_id": "t1",
        "langserver.node_id": "n1",
        "langserver.node_type": "python",
        "langserver.attempt": 1,
        "langserver.status": "completed",
        "langserver.fate": "acked",
    }
    assert entry.values.items() >= known.items()
    executed = one(spans, "langserver", EXECUTE)
    known = {"langserver.runtime": "python", "langserver.status": "completed", "langserver.attempt": "1"}
    assert executed.values.items() >= {**known, "langserver.task_id": "t1", "langserver.node_id": "n1"}.items()
    run = one(spans, "langserver", "run")
    assert run.end - run.begin > 0.15e9  # it slept longer, by a clock of its own


def test_a_task_with_a_place_keeps_it(installation: Installation) -> None:
    assert installation.submit(a_task(traceparent=PLACE)).state == pb.TASK_STATE_COMPLETED
    spans = whole(installation.collector, lambda: TRACE)
    check_tree(spans, above=SPAN)
    assert one(spans, "coordinator", SUBMIT).parent_id == SPAN


def test_the_callers_place_is_above_the_submission(installation: Installation) -> None:
    trace = "c" * 32
    installation.submit(a_task(), metadata=(("traceparent", f"00-{trace}-{SPAN}-01"),))
    spans = whole(installation.collector, lambda: trace)
    submitted = one(spans, "coordinator", SUBMIT)
    assert submitted.parent_id == SPAN
    check_tree(spans, above=submitted.span_id)


def test_what_is_not_sampled_goes_nowhere_and_stays_so(installation: Installation) -> None:
    trace, seen = "d" * 32, "e" * 32
    assert installation.submit(a_task(traceparent=f"00-{trace}-{SPAN}-00")).state == pb.TASK_STATE_COMPLETED
    installation.submit(a_task(traceparent=f"00-{seen}-{SPAN}-01"))
    whole(installation.collector, lambda: seen)  # each process sends in order: the other's would have come before
    assert installation.collector.of(trace) == []


def test_a_failure_is_marked_with_its_kind_and_none_of_its_words(installation: Installation) -> None:
    canary = "canary-7f3a"
    trace = "f" * 32
    code = f"print('{canary}')\nraise ValueError(inputs['secret'])"
    text = json.dumps({"code": code, "input": {"secret": canary}, "filename": f"{canary}.py"}).encode()
    task = pb.NewTask(node_type="python", input=text, max_attempts=1, traceparent=f"00-{trace}-{SPAN}-01")
    failed = installation.submit(task, metadata=(("authorization", f"Bearer {canary}"), ("tracestate", f"a={canary}")))
    assert failed.state == pb.TASK_STATE_FAILED
    assert canary in failed.error
    spans = whole(installation.collector, lambda: trace)
    for service, name in (("worker-bridge", "execute"), ("langserver", EXECUTE)):
        span = one(spans, service, name)
        assert (span.failed, span.values["error.type"], span.values["langserver.status"]) == (
            True,
            "USER_ERROR",
            "failed",
        )
    assert not [body for body in installation.collector.bodies if canary.encode() in body]


def test_calls_that_end_otherwise(installation: Installation) -> None:
    """Streamed, refused, cancelled, and ended by a limit: each has its status, and the phases that it came to."""

    def place(number: int) -> tuple[tuple[str, str], ...]:
        return (("traceparent", f"00-{number:032x}-{SPAN}-01"),)

    def of(number: int) -> tuple[Span, list[str]]:
        trace = f"{number:032x}"
        installation.collector.until(
            lambda: [span for span in installation.collector.of(trace) if span.kind == SERVER], f"call {number}"
        )
        spans = sorted(installation.collector.of(trace), key=lambda span: span.begin)
        (call,) = [span for span in spans if span.kind == SERVER]
        assert call.parent_id == SPAN
        return call, [span.name for span in spans if span.kind == INTERNAL]

    code = lang_pb2.InlineCode(code="print(1)\nwhile True:\n    pass")
    asked = lang_pb2.ExecuteRequest(runtime="python", inline_code=code, timeout_seconds=1)
    list(installation.language.ExecuteStream(asked, metadata=place(1)))
    with pytest.raises(grpc.RpcError):
        installation.execute("return 1", place(2), timezone="No/Where")
    stream = installation.language.ExecuteStream(asked, metadata=place(3))
    next(iter(stream))
    stream.cancel()
    call, found = of(1)
    assert (call.name, call.failed, call.values["error.type"]) == (f"{EXECUTE}Stream", True, "TIMEOUT")
    assert call.values["rpc.response.status_code"] == "OK"
    assert set(found) >= {"queue", "spawn", "seal", "compile", "run"}
    call, found = of(2)
    assert (call.failed, call.values["rpc.response.status_code"], found) == (False, "INVALID_ARGUMENT", [])
    call, found = of(3)
    assert (call.failed, call.values["rpc.response.status_code"], found) == (False, "CANCELLED", [])
    assert call.values["langserver.status"] == "cancelled"


MALFORMED = [
    "x" * 9000,
    f"ff-{TRACE}-{SPAN}-01",
    f"01-{TRACE}-{SPAN}-01",
    f"00-{'0' * 32}-{SPAN}-01",
    f"00-{TRACE}-{'0' * 16}-01",
    f"00-{TRACE.upper()}-{SPAN}-01",
    f"00-{TRACE}-{SPAN}-01-more",
    f"00-{TRACE}-{SPAN}-0g",
]


def test_a_malformed_place_in_a_call_is_no_place_and_no_error(installation: Installation) -> None:
    for number, text in enumerate(MALFORMED):
        response, call = installation.execute("return 1", (("traceparent", text),), task_id=f"malformed-{number}")
        assert response.output_json == "1"
        assert not [value for _, value in [*call.initial_metadata(), *call.trailing_metadata()] if text in str(value)]

    def roots() -> list[Span]:
        return [
            span
            for span in installation.collector.spans
            if str(span.values.get("langserver.task_id")).startswith("malformed-")
        ]

    installation.collector.until(lambda: len(roots()) == len(MALFORMED), "spans of all calls")
    assert {span.parent_id for span in roots()} == {""}
    assert len({span.trace_id for span in roots()} - {TRACE}) == len(MALFORMED)


@pytest.mark.parametrize("text", ["x" * 60_000, f"00-{'0' * 32}-{SPAN}-01", "00-\x00\r\n\x1b[2J", "\ud7ff\u202e"])
def test_a_malformed_place_of_a_task_is_left_out(installation: Installation, text: str) -> None:
    assert installation.submit(a_task(traceparent=text)).state == pb.TASK_STATE_COMPLETED


def test_what_a_stranger_writes_into_the_stream_is_bounded_and_ends_no_batch(installation: Installation) -> None:
    """Names as long as an entry may have them; a good task's spans come behind."""
    stream = redis.Redis(port=installation.redis.port)
    entry = {"task_id": "\u00e9" * 256, "run_id": "r" * 256, "node_type": "python", "traceparent": "00-\x00"}
    stream.xadd("tasks:python:0", {**entry, "input": "{}"})
    stream.xadd("tasks:python:0", {"payload": "no JSON"})
    installation.collector.until(
        lambda: (
            [
                s.values["langserver.fate"]
                for s in installation.collector.spans
                if s.values.get("error.type") == "parked"
            ]
            == ["parked", "parked"]
        ),
        "both are parked",
    )
    trace = "b" * 32
    installation.submit(a_task(traceparent=f"00-{trace}-{SPAN}-01"))
    check_tree(whole(installation.collector, lambda: trace), above=SPAN)
    values = [value for span in installation.collector.spans for value in span.values.values()]
    assert max(len(value) for value in values if isinstance(value, str)) <= 256


def test_the_lease_of_a_retry_is_in_the_same_trace(installation: Installation) -> None:
    trace = "a1" * 16
    task = a_task("raise ValueError", max_attempts=2, traceparent=f"00-{trace}-{SPAN}-01")
    assert installation.submit(task).attempt == 2

    def entries() -> list[Span]:
        return [span for span in installation.collector.of(trace) if span.name.startswith("process ")]

    installation.collector.until(lambda: len(entries()) == 2, "both attempts")
    assert sorted(span.values["langserver.attempt"] for span in entries()) == [1, 2]
    assert {span.parent_id for span in entries()} == {SPAN}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look at a process that is not dumpable")
def test_zygotes_and_children_have_nothing_of_it(installation: Installation) -> None:
    zygotes = installation.parts["langserver"].zygotes()
    assert zygotes
    for process in [*zygotes, *(child for zygote in zygotes for child in zygote.children(recursive=True))]:
        try:
            assert process.environ() == {}
            assert process.num_threads() == 1
            mapped = {entry.path for entry in process.memory_maps()}
        except psutil.NoSuchProcess:  # a child ends when it will
            continue
        assert not [path for path in mapped if "opentelemetry" in path]
    code = "import json\ntry:\n    import opentelemetry\nexcept ImportError as error:\n    return str(error)"
    response, _ = installation.execute(code)
    assert "opentelemetry" in response.output_json

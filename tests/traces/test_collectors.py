"""Collectors that are away, hang or are not named, and what a process does without or in spite of them."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import grpc
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc as pb_grpc
from langserver.pb import lang_pb2, lang_pb2_grpc
from operating.tracing.start import start_tracing
from operating.tracing.tracer import Tracing
from operating.tracing.wanted import Wanted
from tests.chaos.processes import Part, free_port, python
from tests.traces.collector import GUARD_SECONDS, collecting

PLACE = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"
PROGRAMS = {
    "langserver": ("langserver", "serve", "--listen", "127.0.0.1:0"),
    "coordinator": ("coordinator.cli", "serve", "--listen", "127.0.0.1:0"),
    "worker-bridge": ("worker_bridge.cli", "run"),
}


async def test_a_collector_that_hangs_holds_up_no_execution_and_no_end(tmp_path: Path) -> None:
    """It would hang for ten minutes; what does not fit into the queue is dropped and counted."""
    with collecting(answers=False) as collector:
        at = f"127.0.0.1:{free_port()}"
        server = Part(
            "langserver",
            python("langserver", "serve", "--listen", at),
            tmp_path / "log",
            "listening on",
            LANG_RUNTIMES="python",
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
            OTEL_EXPORTER_OTLP_TIMEOUT="600",
            OTEL_BSP_MAX_QUEUE_SIZE="10",
        )
        await server.start()
        async with grpc.aio.insecure_channel(at) as channel:
            stub = lang_pb2_grpc.LanguageServerStub(channel)
            request = lang_pb2.ExecuteRequest(runtime="python", inline_code=lang_pb2.InlineCode(code="return 1"))
            for _ in range(10):
                answer = await stub.Execute(request, timeout=GUARD_SECONDS)
                assert answer.output_json == "1"
        collector.until(lambda: collector.bodies, "it hangs")
        async with asyncio.timeout(GUARD_SECONDS):
            assert await server.stop() == 0
        assert f"70 spans did not reach the collector at {collector.url}" in server.words
        assert "Traceback" not in server.words


async def test_a_collector_that_is_away_holds_up_nothing_and_is_said_once(tmp_path: Path) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    at = f"127.0.0.1:{free_port()}"
    coordinator = Part(
        "coordinator",
        python("coordinator.cli", "serve", "--listen", at),
        tmp_path / "log",
        "listening on",
        COORDINATOR_DATABASE_URL=f"sqlite:///{tmp_path}/tasks.db",
        REDIS_ADDR=f"127.0.0.1:{free_port()}",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=f"{nobody}/v1/traces?key=s3cret",
        OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer s3cret",
        OTEL_EXPORTER_OTLP_TIMEOUT="1",
        OTEL_BSP_SCHEDULE_DELAY="20",
    )
    await coordinator.start()
    async with grpc.aio.insecure_channel(at) as channel:
        stub = pb_grpc.CoordinatorStub(channel)
        said = f"spans do not reach the collector at {nobody}: they are dropped until they do"
        async with asyncio.timeout(GUARD_SECONDS):
            while said not in coordinator.words:
                await stub.SubmitTasks(pb.SubmitTasksRequest(tasks=[pb.NewTask(node_type="python")]))
        for _ in range(3):
            await stub.SubmitTasks(pb.SubmitTasksRequest(tasks=[pb.NewTask(node_type="python")]))
    assert await coordinator.stop() == 0
    assert coordinator.words.count(said) == 1
    assert re.search(r"[1-9]\d* spans did not reach the collector", coordinator.words)
    assert "s3cret" not in coordinator.words


def test_without_the_extra_an_endpoint_refuses_the_start_and_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "opentelemetry").mkdir()
    (tmp_path / "opentelemetry" / "__init__.py").touch()  # hides the one that is installed
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
        "COORDINATOR_DATABASE_URL": f"sqlite:///{tmp_path}/tasks.db",
    }
    started = [
        subprocess.Popen(python(*command), env=environment, stderr=subprocess.PIPE, text=True)
        for command in PROGRAMS.values()
    ]
    for process in started:
        _, said = process.communicate(timeout=GUARD_SECONDS)
        assert process.returncode == 3, said
        assert "OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry cannot be loaded" in said
        assert "pip install 'langserver[telemetry]'" in said
        assert "Traceback" not in said


OFF = """
import sys, threading
{imports}
assert {start}() is None
print([name for name in sys.modules if name.startswith({foreign})])
print(threading.active_count())
"""
ALL = ("opentelemetry", "requests", "urllib3")
# redis loads the API and the SDK's metrics by itself, where they are installed.
NOT_OF_REDIS = ("opentelemetry.exporter", "opentelemetry.sdk.trace", "opentelemetry.proto", "requests", "urllib3")


@pytest.mark.parametrize(
    ("imports", "start", "foreign"),
    [
        ("import langserver.commands.serve, langserver.server.app as app", "app._tracing", ALL),
        (
            "import coordinator.app, coordinator.commands.serve as serve",
            "serve.tracing_of_a_coordinator",
            NOT_OF_REDIS,
        ),
        ("import worker_bridge.app, worker_bridge.commands.run as run", "run.tracing_of_a_bridge", NOT_OF_REDIS),
    ],
    ids=list(PROGRAMS),
)
def test_nothing_is_loaded_and_no_thread_started_where_no_spans_are_wanted(
    imports: str, start: str, foreign: tuple[str, ...]
) -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    script = OFF.format(imports=imports, start=start, foreign=foreign)
    done = subprocess.run([sys.executable, "-c", script], env=plain, capture_output=True, text=True)
    assert done.stdout == "[]\n1\n", done.stderr


class Stuck(SpanExporter):
    """Takes a batch and is stuck with it until it is shut down, or `goes_on` is set."""

    def __init__(self) -> None:
        self.begun, self.goes_on = threading.Event(), threading.Event()
        self.batches: list[int] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.begun.set()
        assert self.goes_on.wait(GUARD_SECONDS)
        self.batches.append(len(spans))
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        self.goes_on.set()


def tracing_with(exporter: SpanExporter, monkeypatch: pytest.MonkeyPatch, queue: int) -> Tracing:
    monkeypatch.setattr("operating.tracing.tracer.OTLPSpanExporter", lambda: exporter)
    return Tracing("langserver", "1", Wanted("http://c", queue=queue, batch=queue, delay_seconds=GUARD_SECONDS))


def test_the_queue_is_bounded_and_what_is_dropped_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    exporter = Stuck()
    tracing = tracing_with(exporter, monkeypatch, queue=4)
    for _ in range(4):
        tracing.begin("one", PLACE).end()
    assert exporter.begun.wait(GUARD_SECONDS)  # it has them, and the queue is empty
    for _ in range(10):
        tracing.begin("more", PLACE).end()
    assert tracing.lost == 6
    exporter.goes_on.set()
    tracing.close()
    assert exporter.batches == [4, 4]
    assert tracing.lost == 6


def test_one_that_cannot_be_sent_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Stuck):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            raise OSError("no")

    tracing = tracing_with(Broken(), monkeypatch, queue=4)
    for _ in range(3):
        tracing.begin("one", PLACE).end()
    tracing.close()
    assert tracing.lost == 3


def test_a_value_that_is_no_unicode_costs_no_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
        monkeypatch.setenv("OTEL_SERVICE_NAME", "ours")
        tracing = start_tracing("langserver", "1")
        assert tracing is not None
        tracing.begin("one", PLACE, values={"langserver.task_id": "\ud800" + "x" * 999, "langserver.node_id": ""}).end()
        tracing.close()
        (span,) = collector.spans
    assert (span.service, span.name, span.parent_id) == ("ours", "one", "b" * 16)
    assert span.values == {"langserver.task_id": "?" + "x" * 255}
    assert tracing.lost == 0


@pytest.mark.parametrize(
    ("sampler", "argument", "expected"),
    [
        ("", "", {"root", "sampled"}),
        ("parentbased_always_off", "", {"sampled"}),
        ("parentbased_traceidratio", "0", {"sampled"}),
        ("always_on", "", {"root", "sampled", "not sampled"}),
        ("always_off", "", set()),
    ],
)
def test_the_parent_decides_and_of_a_root_the_sampler(
    monkeypatch: pytest.MonkeyPatch, sampler: str, argument: str, expected: set[str]
) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        monkeypatch.setenv("OTEL_TRACES_SAMPLER", sampler)
        monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", argument)
        tracing = start_tracing("langserver", "1")
        assert tracing is not None
        for name, parent in (("root", "?"), ("sampled", PLACE), ("not sampled", PLACE[:-1] + "0")):
            span = tracing.begin(name, parent)
            assert span.traceparent.endswith("-01" if name in expected else "-00")
            assert span.is_recorded == (name in expected)
            span.end()
        tracing.close()
    assert {span.name for span in collector.spans} == expected

"""A collector that takes OTLP over HTTP, as a process sends it; and ones that do not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

GUARD_SECONDS = 60.0  # against hanging


@dataclass(frozen=True)
class Span:
    """One span as it arrived. Moments are nanoseconds since 1970; `failed` is its status."""

    service: str
    name: str
    kind: int
    trace_id: str
    span_id: str
    parent_id: str
    begin: int
    end: int
    values: dict[str, object]
    failed: bool


class Collector:
    """Listens on loopback. With `answers` False it takes a request and never says a word."""

    def __init__(self, *, answers: bool = True) -> None:
        self.spans: list[Span] = []
        self.bodies: list[bytes] = []
        self.over = threading.Event()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                assert self.path == "/v1/traces"
                if not answers:
                    collector.bodies.append(body)
                    collector.over.wait()
                    return
                collector.take(body)
                said = ExportTraceServiceResponse().SerializeToString()
                self.send_response(200)
                self.send_header("content-type", "application/x-protobuf")
                self.send_header("content-length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def take(self, body: bytes) -> None:
        found = [
            Span(
                service=next(one.value.string_value for one in of.resource.attributes if one.key == "service.name"),
                name=span.name,
                kind=span.kind,
                trace_id=span.trace_id.hex(),
                span_id=span.span_id.hex(),
                parent_id=span.parent_span_id.hex(),
                begin=span.start_time_unix_nano,
                end=span.end_time_unix_nano,
                values={
                    one.key: getattr(one.value, one.value.WhichOneof("value") or "string_value")
                    for one in span.attributes
                },
                failed=span.status.code == span.status.STATUS_CODE_ERROR,
            )
            for of in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in of.scope_spans
            for span in scope.spans
        ]
        self.bodies.append(body)
        self.spans += found

    def of(self, trace_id: str) -> list[Span]:
        return [span for span in self.spans if span.trace_id == trace_id]

    def until(self, condition: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + GUARD_SECONDS
        while not condition():
            assert time.monotonic() < deadline, f"{what}: {[(span.service, span.name) for span in self.spans]}"
            time.sleep(0.02)

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def collecting(*, answers: bool = True) -> Iterator[Collector]:
    collector = Collector(answers=answers)
    try:
        yield collector
    finally:
        collector.close()

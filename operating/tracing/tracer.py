"""Making spans, by OpenTelemetry's SDK. Loaded only where spans are wanted (`start`)."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)
from opentelemetry.trace import Span as SdkSpan

from operating.traceparent import Place, parse_traceparent
from operating.tracing.outgoing import Outgoing
from operating.tracing.wanted import Wanted

Kind: TypeAlias = Literal["internal", "server", "client", "consumer"]
Values: TypeAlias = "Mapping[str, str | int]"

_SCOPE: Final = "langserver"
_CLOSE_SECONDS: Final = 3.0
_LONGEST: Final = 256  # characters of a value
_KINDS: Final = {
    "internal": SpanKind.INTERNAL,
    "server": SpanKind.SERVER,
    "client": SpanKind.CLIENT,
    "consumer": SpanKind.CONSUMER,
}


class Span:
    """One span. `traceparent` is what puts others below it, in this process or another."""

    __slots__ = ("_span", "traceparent")

    def __init__(self, span: SdkSpan) -> None:
        self._span = span
        at = span.get_span_context()
        self.traceparent = str(Place(at.trace_id, at.span_id, at.trace_flags.sampled))

    @property
    def place(self) -> SpanContext:
        """The same as the SDK has it."""
        return self._span.get_span_context()

    @property
    def is_recorded(self) -> bool:
        """False: nothing that is said of it goes anywhere."""
        return self._span.is_recording()

    def tell(self, values: Values) -> None:
        """Attributes, and what they are."""
        if self._span.is_recording():
            self._span.set_attributes(_told(values))

    def fail(self, kind: str) -> None:
        """It ended badly; `kind` is one of few words."""
        self.tell({"error.type": kind})
        self._span.set_status(StatusCode.ERROR)

    def end(self, at_ns: int | None = None) -> None:
        """`at_ns`: nanoseconds since 1970; by default now."""
        self._span.end(at_ns)


class Tracing:
    """Where the spans of a program begin."""

    def __init__(self, program: str, version: str, wanted: Wanted) -> None:
        self._outgoing = Outgoing(OTLPSpanExporter(), wanted)
        found = OTELResourceDetector().detect().attributes  # OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES
        own = {"service.name": program, "service.version": version, "service.instance.id": str(uuid.uuid4())}
        self._resource = Resource.create({**own, **found})
        self._scope = InstrumentationScope(_SCOPE, version)
        self._ids = RandomIdGenerator()
        provider = TracerProvider(resource=self._resource, id_generator=self._ids, shutdown_on_exit=False)
        provider.add_span_processor(self._outgoing)
        self._tracer = provider.get_tracer(_SCOPE, version)

    def begin(
        self,
        name: str,
        parent: str = "",
        kind: Kind = "internal",
        values: Values | None = None,
        at_ns: int | None = None,
    ) -> Span:
        """A span below `parent`, or one that begins a trace where that is no traceparent. `at_ns`: see Span.end.

        Whether it is recorded is the parent's decision, or the sampler's.
        """
        span = self._tracer.start_span(
            name, _context(parent), _KINDS[kind], _told(values or {}), start_time=at_ns, record_exception=False
        )
        return Span(span)

    def parts(self, span: Span, parts: Iterable[tuple[str, int, int]]) -> None:
        """What a recorded span consisted of: names, and where each begins and ends (see Span.end).

        For what is over the SDK's spans are dear: locks, samplers, attributes that may change. These cost a fifth.
        """
        above = span.place
        for name, begin_ns, end_ns in parts:
            place = SpanContext(above.trace_id, self._ids.generate_span_id(), False, above.trace_flags)
            self._outgoing.on_end(
                ReadableSpan(
                    name,
                    place,
                    above,
                    self._resource,
                    instrumentation_scope=self._scope,
                    start_time=begin_ns,
                    end_time=end_ns,
                )
            )

    @property
    def lost(self) -> int:
        """Spans that did not reach the collector."""
        return self._outgoing.lost

    def close(self) -> None:
        """Sends what is left, within a few seconds."""
        self._outgoing.close(_CLOSE_SECONDS)


def _context(parent: str) -> Context:
    place = parse_traceparent(parent)
    if place is None:
        return Context()
    flags = TraceFlags(TraceFlags.SAMPLED if place.sampled else TraceFlags.DEFAULT)
    return set_span_in_context(NonRecordingSpan(SpanContext(place.trace_id, place.span_id, True, flags)), Context())


def _told(values: Values) -> dict[str, str | int]:
    """What is not empty, short, and such that it can be sent: one value that cannot would cost a whole batch."""
    return {
        name: _sendable(value) if isinstance(value, str) else value for name, value in values.items() if value != ""
    }


def _sendable(text: str) -> str:
    short = text[:_LONGEST]
    return short if short.isascii() else short.encode("utf-8", "replace").decode()

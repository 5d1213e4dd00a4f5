"""Spans on their way out: a bounded queue, one thread that empties it, and a bounded end.

The SDK's own processor is not used: it starts a thread in every child that is ever forked, waits half a minute for a
collector that hangs, and counts nothing of what it drops.
"""

from __future__ import annotations

import logging
import threading
from collections import deque

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from operating.tracing.wanted import Wanted

log = logging.getLogger(__name__)


class Outgoing(SpanProcessor):
    """Whoever ends a span never waits. Spans are ended in one thread, that of the event loop."""

    def __init__(self, exporter: SpanExporter, wanted: Wanted) -> None:
        self._exporter = exporter
        self._wanted = wanted
        self._queue: deque[ReadableSpan] = deque()
        self._wake = threading.Event()
        self._closing = False
        self._given_up = False
        self._fails = False
        # Each written by one thread alone.
        self._taken = 0
        self._dropped = 0
        self._sent = 0
        self._refused = 0
        # It never keeps the process from its end, and holds nothing that others wait for.
        self._thread = threading.Thread(target=self._run, name="spans", daemon=True)
        self._thread.start()

    def on_end(self, span: ReadableSpan) -> None:
        """Takes a span, or drops it when the queue is full."""
        if span.context is None or not span.context.trace_flags.sampled:
            return
        if self._closing or len(self._queue) >= self._wanted.queue:
            self._dropped += 1
            return
        self._taken += 1
        self._queue.append(span)
        if len(self._queue) >= self._wanted.batch:
            self._wake.set()

    @property
    def lost(self) -> int:
        """Spans that will not reach the collector: dropped, refused, or left at the end."""
        left = self._taken - self._sent - self._refused if self._given_up else 0
        return self._dropped + self._refused + left

    def close(self, seconds: float) -> None:
        """Sends what there is, for so long at most; nothing is taken any more."""
        self._closing = True
        self._wake.set()
        self._thread.join(seconds)
        self._given_up = True
        self._exporter.shutdown()  # which ends its waiting between tries
        if self.lost:
            log.warning("%d spans did not reach the collector at %s", self.lost, self._wanted.collector)

    def _run(self) -> None:
        while not self._closing:
            self._wake.wait(self._wanted.delay_seconds)
            self._wake.clear()
            self._send_all()
        self._send_all()

    def _send_all(self) -> None:
        while self._queue and not self._given_up:
            batch = [self._queue.popleft() for _ in range(min(len(self._queue), self._wanted.batch))]
            try:
                arrived = self._exporter.export(batch) is SpanExportResult.SUCCESS
            except Exception:
                log.exception("spans could not be sent")
                arrived = False
            if arrived:
                self._sent += len(batch)
            else:
                self._refused += len(batch)
            self._tell(fails=not arrived)

    def _tell(self, *, fails: bool) -> None:
        """Said once for each time that it goes away."""
        if fails and not self._fails:
            log.warning(
                "spans do not reach the collector at %s: they are dropped until they do", self._wanted.collector
            )
        elif self._fails and not fails:
            log.info("spans reach the collector again; %d are lost", self.lost)
        self._fails = fails

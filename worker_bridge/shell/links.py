"""Whom the shell talks to, and the moments that it keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from worker_bridge.coordinator_client import CoordinatorClient
from worker_bridge.core.timings import Timings
from worker_bridge.spans import Spans
from worker_bridge.streams.port import StreamPort


@dataclass(frozen=True, slots=True)
class Links:
    """One of each for a bridge."""

    coordinator: CoordinatorClient
    streams: StreamPort
    timings: Timings
    spans: Spans
    alarm: Callable[[str], None]  # told what Redis refuses until an operator mends something

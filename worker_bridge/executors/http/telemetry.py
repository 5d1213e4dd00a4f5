"""What is counted of requests. Nothing that a task or a server says becomes a label."""

from __future__ import annotations

from typing import Protocol

from worker_bridge.executors.egress.policy import HostClass
from worker_bridge.executors.egress.refusal import Reason


class Telemetry(Protocol):
    """Where the figures go."""

    def http_answered(self, host: HostClass, status: int, seconds: float) -> None:
        """A response came, whole, so many seconds after its request was begun."""

    def http_refused(self, reason: Reason) -> None:
        """The egress policy forbade a request, or a redirect."""

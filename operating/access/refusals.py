"""What the log says of callers who are sent away: little, however often they come, and nothing that they sent."""

from __future__ import annotations

import re
from typing import Final

_EVERY_SECONDS: Final = 10.0
ADDRESS: Final = re.compile(r"ipv[46]:[0-9A-Fa-f.:%\[\]]{1,64}")


class Refusals:
    """Counts calls without a valid token."""

    def __init__(self) -> None:
        self._unsaid = 0
        self._silent_until = float("-inf")

    def refused(self, peer: str, now: float) -> str | None:
        """A line for the log, at most one in ten seconds. `peer` is gRPC's word for the other end."""
        self._unsaid += 1
        if now < self._silent_until:
            return None
        # The path of a unix socket is the caller's to choose.
        where = peer if ADDRESS.fullmatch(peer) else "a unix socket"
        line = f"{self._unsaid} calls without a valid token were refused, the latest from {where}"
        self._unsaid, self._silent_until = 0, now + _EVERY_SECONDS
        return line

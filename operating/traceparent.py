"""Where a span is, as W3C Trace Context writes it (https://www.w3.org/TR/trace-context/, version 00)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

# Whoever wrote it may be hostile: this grammar or nothing. Ids of zeros mean none; a version that is not known yet may
# mean anything by what looks the same.
_TRACEPARENT: Final = re.compile(r"00-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})")
_SAMPLED: Final = 0x01


@dataclass(frozen=True, slots=True)
class Place:
    """One span of one trace; `sampled`: whoever made it sends it to a collector."""

    trace_id: int
    span_id: int
    sampled: bool

    def __str__(self) -> str:
        return f"00-{self.trace_id:032x}-{self.span_id:016x}-{int(self.sampled):02x}"


def parse_traceparent(text: str) -> Place | None:
    """None for whatever is no traceparent."""
    found = _TRACEPARENT.fullmatch(text)
    if found is None:
        return None
    trace_id, span_id, flags = (int(digits, 16) for digits in found.groups())
    return Place(trace_id, span_id, sampled=bool(flags & _SAMPLED))

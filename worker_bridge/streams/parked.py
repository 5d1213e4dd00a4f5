"""What a parked entry carries."""

from __future__ import annotations

from worker_bridge.core.envelope import MAX_ENTRY_BYTES, MAX_ENTRY_FIELDS
from worker_bridge.core.queues import origin
from worker_bridge.streams.port import Entry

_REASON_CHARACTERS = 2_000
_OURS = (b"origin", b"reason", b"deliveries")


def parked_fields(entry: Entry, reason: str) -> dict[bytes, bytes]:
    """The entry's own fields, `origin`, `reason` and `deliveries`. Of one over the caps only the latter."""
    size = sum(len(name) + len(value) for name, value in entry.fields.items())
    whole = size <= MAX_ENTRY_BYTES and len(entry.fields) <= MAX_ENTRY_FIELDS
    kept = {name: value for name, value in entry.fields.items() if name not in _OURS} if whole else {}
    return kept | {
        b"origin": origin(entry.stream, entry.id).encode(),
        b"reason": reason[:_REASON_CHARACTERS].encode(errors="replace"),
        b"deliveries": str(entry.deliveries).encode(),
    }

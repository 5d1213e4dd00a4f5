"""Names: runtimes, queues, and the streams that they are read from."""

from __future__ import annotations

from typing import Final

GROUP: Final = "workers"
# Holds what waits for another worker's lease to end: in nobody's hand.
ASIDE: Final = "parked"

_ALIASES: Final = {"javascript": "js", "node": "js"}


def canonical(name: str) -> str:
    """A node type or queue with the runtime's one name: `node` and `javascript` are `js`, also before a domain."""
    runtime, colon, domain = name.partition(":")
    return _ALIASES.get(runtime, runtime) + colon + domain


def stream_name(prefix: str, queue: str, shard: int) -> str:
    """The stream of one shard of a queue."""
    return f"{prefix}:{queue}:{shard}"


def dead_stream(stream: str) -> str:
    """Where entries of `stream` are parked."""
    return f"{stream}:dead"


def origin(stream: str, entry_id: str) -> str:
    """What a parked entry is known by: one that was parked twice has the same."""
    return f"{stream} {entry_id}"

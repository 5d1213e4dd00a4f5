"""Where a task's entries go: the names of queues and streams."""

from __future__ import annotations

import zlib
from typing import Final

RUNTIMES: Final = ("python", "js")
_ALIASES: Final = {"javascript": "js", "node": "js"}
DEAD_SUFFIX: Final = ":dead"
GROUP: Final = "workers"


def queue_of(queue: str, node_type: str) -> str:
    """The queue that was asked for, else the node type's; with a runtime's one name, also before a domain (`js:eu`)."""
    name, colon, domain = (queue or node_type).partition(":")
    return _ALIASES.get(name, name) + colon + domain


def stream_of(prefix: str, queue: str, shard: int) -> str:
    """`tasks:python:0`."""
    return f"{prefix}:{queue}:{shard}"


def dead_stream_of(stream: str) -> str:
    """Where entries are parked that nobody can execute."""
    return stream + DEAD_SUFFIX


def shard_of(run_id: str, task_id: str, shards: int) -> int:
    """The same for every attempt of a task, and in every process."""
    return zlib.crc32(f"{run_id}\0{task_id}".encode()) % shards

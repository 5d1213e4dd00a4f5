"""Entries of a stream for a worker that does nothing with them."""

from __future__ import annotations

import redis.asyncio as redis

_AT_ONCE = 500


async def fill(client: redis.Redis, stream: str, count: int) -> None:
    """Appends so many tasks of node type `noop`."""
    left = count
    while left:
        async with client.pipeline(transaction=False) as pipeline:
            for number in range(min(left, _AT_ONCE)):
                pipeline.xadd(stream, {**_FIELDS, "task_id": f"task-{left - number}"})
            await pipeline.execute()
        left -= min(left, _AT_ONCE)


_FIELDS: dict[bytes | bytearray | memoryview[int] | str | int | float, str] = {
    "run_id": "bench",
    "node_id": "node",
    "node_type": "noop",
    "workflow_id": "workflow",
    "workflow_version": "1",
    "attempt": "1",
    "input": '{"a": 1}',
}

"""The least that a worker must do for an entry: XREADGROUP, one gRPC round trip, XACK, one entry after another.

Arguments: Redis' port, the coordinator's address, how many entries, how many rounds. Prints nanoseconds of the rounds.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

import grpc
import redis.asyncio as redis

from bench.entries import fill
from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc as pb_grpc

STREAM, GROUP = "bare:noop:0", "workers"


async def main(port: int, coordinator: str, entries: int, rounds: int) -> None:
    """Fills the stream before each round, outside the time."""
    took = []
    async with redis.Redis(port=port) as client, grpc.aio.insecure_channel(coordinator) as channel:
        stub = pb_grpc.WorkflowServiceStub(channel)
        await client.xgroup_create(STREAM, GROUP, "0", mkstream=True)
        for _ in range(rounds):
            await fill(client, STREAM, entries)
            start = time.perf_counter_ns()
            for _ in range(entries):
                read: Any = await client.xreadgroup(GROUP, "bare", {STREAM: ">"}, count=1)
                ((_, ((entry, _fields),)),) = read
                await stub.ReportTaskResult(pb.ReportTaskResultRequest(task_id="t", run_id="r", status="completed"))
                await client.xack(STREAM, GROUP, entry)
            took.append(time.perf_counter_ns() - start)
    print(json.dumps(took))


asyncio.run(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))

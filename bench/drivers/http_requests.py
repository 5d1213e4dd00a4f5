"""Requests to one server, ten at a time: by h11 and nothing else, and as http tasks.

Arguments: the server's address, how many requests a round, how many rounds. Prints the nanoseconds of the rounds by who
made them, and how many connections the tasks took.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import sys
import time
from collections.abc import Awaitable, Callable

import h11

from worker_bridge.core.envelope import Task
from worker_bridge.executors.egress.policy import HostClass, Policy
from worker_bridge.executors.egress.refusal import Reason
from worker_bridge.executors.http.executor import HttpExecutor

AT_ONCE = 10
_HEADERS = (("user-agent", "worker-bridge"), ("accept-encoding", "gzip"))  # as a task sends them


class Uncounted:
    """Telemetry that goes nowhere."""

    def http_answered(self, host: HostClass, status: int, seconds: float) -> None:
        """Nothing."""

    def http_refused(self, reason: Reason) -> None:
        """Nothing."""


class Bare:
    """The client library alone, on one connection."""

    def __init__(self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._host, self._reader, self._writer = host, reader, writer
        self._http = h11.Connection(h11.CLIENT)

    async def get(self) -> bytes:
        """The body of the response to the same request."""
        http, body = self._http, b""
        request = h11.Request(method="GET", target="/", headers=[("host", self._host), *_HEADERS])
        self._writer.write((http.send(request) or b"") + (http.send(h11.EndOfMessage()) or b""))
        while True:
            event = http.next_event()
            if event is h11.NEED_DATA:
                http.receive_data(await self._reader.read(65_536))
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                http.start_next_cycle()
                return body

    def close(self) -> None:
        """Ends the connection."""
        self._writer.close()


async def timed(get: Callable[[int], Awaitable[object]], requests: int) -> int:
    """Nanoseconds of so many calls, ten at a time; `get` is told which of the ten calls."""

    async def some(number: int) -> None:
        for _ in range(requests // AT_ONCE):
            await get(number)

    start = time.perf_counter_ns()
    await asyncio.gather(*(some(number) for number in range(AT_ONCE)))
    return time.perf_counter_ns() - start


async def main(address: str, requests: int, rounds: int) -> None:
    """One round of each in turn, so that both see the same machine."""
    host, _, port = address.partition(":")
    bare = [Bare(address, *await asyncio.open_connection(host, int(port))) for _ in range(AT_ONCE)]
    executor = HttpExecutor(Policy((ipaddress.ip_network("127.0.0.0/8"),)), Uncounted())

    def task(path: str) -> Task:
        text = json.dumps({"method": "GET", "url": f"http://{address}{path}"})
        return Task("task", "run", "node", "http", "flow", "1", 1, text)

    async def run(one: Task) -> bytes:
        outcome = await executor.execute(one, 30)
        assert outcome.completed, outcome.error
        return outcome.output

    one = task("/")
    took: dict[str, list[int]] = {"bare": [], "tasks": []}
    for _ in range(rounds):
        took["bare"].append(await timed(lambda number: bare[number].get(), requests))
        took["tasks"].append(await timed(lambda _number: run(one), requests))
    took["connections"] = [int(await run(task("/connections"))) - AT_ONCE]
    for connection in bare:
        connection.close()
    await executor.close()
    print(json.dumps(took))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))

"""The worker bridge: trivial tasks a second through a real Redis, against the least that a worker must do for one."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import redis.asyncio as redis

from bench.context import DRIVERS, Context, Server, listening
from bench.entries import fill
from bench.measure import NotAvailable, NotHere, Ratio, Row, Unit, at_least

BARE, BRIDGE = "entries by a bare loop of XREADGROUP, one call and XACK", "tasks by a bridge whose tasks do nothing"
RATIOS = (
    Ratio(
        "a bridge's tasks over a bare loop's entries",
        BRIDGE,
        (BARE,),
        "two calls a task, and ten tasks at once",
        at_least(0.5),
    ),
)

_ENTRIES = 2_000
_ROUNDS = 5
_LOOK_SECONDS = 0.005
_START_SECONDS = 30.0


def rows(context: Context) -> list[Row]:
    """Redis, the coordinator that says yes, and the worker share this machine's cores."""
    entries, rounds = (100, 1) if context.quick else (_ENTRIES, _ROUNDS)
    with redis_server() as port:
        bare = context.driver("bare_queue_loop", str(port), _coordinator(context), str(entries), str(rounds), flags=())
    with noop_bridge(context) as (bridge, port):
        worked = [asyncio.run(drained(port, bridge, entries)) for _ in range(rounds)]
    return [_rate(BARE, entries, bare), _rate(BRIDGE, entries, worked)]


@contextmanager
def noop_bridge(context: Context) -> Iterator[tuple[Server, int]]:
    """A bridge whose tasks are done at once, the stream that it reads as its address; and the port of its Redis."""
    with redis_server() as port:
        settings = {"REDIS_ADDR": f"127.0.0.1:{port}", "COORDINATOR_ADDR": _coordinator(context)}
        with listening((sys.executable, str(DRIVERS / "noop_bridge.py")), settings) as bridge:
            yield bridge, port


def _coordinator(context: Context) -> str:
    return context.listening(sys.executable, str(DRIVERS / "granting_coordinator.py"))


def _rate(name: str, entries: int, took: Sequence[int]) -> Row:
    return Row(name, tuple(entries * 1e9 / ns for ns in took), unit=Unit.RATE)


async def drained(port: int, bridge: Server, entries: int) -> int:
    """Nanoseconds from the moment in which the bridge goes on until nothing is in its stream."""
    async with redis.Redis(port=port) as client:
        os.kill(bridge.pid, signal.SIGSTOP)  # so that filling is outside the time, as for the bare loop
        await fill(client, bridge.address, entries)
        start = time.perf_counter_ns()
        os.kill(bridge.pid, signal.SIGCONT)
        while await client.xlen(bridge.address):  # noqa: ASYNC110 - another process
            await asyncio.sleep(_LOOK_SECONDS)
        return time.perf_counter_ns() - start


@contextmanager
def redis_server() -> Iterator[int]:
    """A Redis of its own on a free port of the loopback, without a file. Raises NotHere."""
    if shutil.which("redis-server") is None:
        raise NotHere("there is no redis-server: apt-get install redis-server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", folder]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
            try:
                _until_listening(port)
                yield port
            finally:
                server.terminate()


def _until_listening(port: int) -> None:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise NotAvailable("the Redis server did not start")

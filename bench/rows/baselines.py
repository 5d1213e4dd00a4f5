"""What the machine itself costs. Nothing here depends on this project's code, so trimming or fattening it moves no
baseline. Measured at the start and at the end of a run: the difference is the machine's drift."""

from __future__ import annotations

import asyncio
import sys
import time

import grpc

from bench.context import DRIVERS, Context
from bench.measure import Row, Unit, loop_rates

BASELINE = True

BARE_FORK = "fork, one byte, exit and reap of a bare interpreter"
SILENT_FORK = "fork, exit and reap of a bare interpreter"
ECHO = "gRPC echo, 500 bytes, one caller"
FORK_LOOPS = "bare fork loops (fork, exit, reap), one a core"
PAUSE_MS = 5  # as long as the pauses between the calls of `execute`
BARE_FORK_APART = f"{BARE_FORK}, {PAUSE_MS} ms apart"
ECHO_APART = f"{ECHO}, {PAUSE_MS} ms apart"
ISOLATE = "fork, V8 isolate, eval, one byte, exit and reap"
ISOLATE_LOOPS = "fork and V8 isolate loops, one a core"

_BARE = ("-I", "-S")


def rows(context: Context) -> list[Row]:
    """Forking a `python -I -S`, a V8 isolate in a fork, and an empty gRPC call over the loopback."""
    address = context.listening(sys.executable, "-I", str(DRIVERS / "echo_server.py"))
    forks = str(context.count(500))
    loops = context.driver_on_each_core("bare_fork", str(context.count(2500) * 2), flags=_BARE)
    isolates = context.driver_on_each_core("isolate_fork", str(context.count(100) * 2))
    return [
        Row(BARE_FORK, context.driver("bare_fork", forks, "byte", flags=_BARE)),
        Row(BARE_FORK_APART, context.driver("bare_fork", str(context.count(200)), "byte", str(PAUSE_MS), flags=_BARE)),
        Row(SILENT_FORK, context.driver("bare_fork", forks, flags=_BARE)),
        Row(ECHO, asyncio.run(_echo(address, context.count(1000)))),
        Row(ECHO_APART, asyncio.run(_echo(address, context.count(200), PAUSE_MS / 1000))),
        Row(FORK_LOOPS, loop_rates(loops), unit=Unit.RATE),
        Row(ISOLATE, context.driver("isolate_fork", str(context.count(100)))),
        Row(ISOLATE_LOOPS, loop_rates(isolates), unit=Unit.RATE),
    ]


async def _echo(address: str, count: int, pause_seconds: float = 0) -> tuple[int, ...]:
    async with grpc.aio.insecure_channel(address) as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/bench.Echo/Echo")
        payload = bytes(500)
        for _ in range(50):
            await call(payload)
        samples = []
        for _ in range(count):
            if pause_seconds:
                await asyncio.sleep(pause_seconds)
            started = time.perf_counter_ns()
            await call(payload)
            samples.append(time.perf_counter_ns() - started)
        return tuple(samples)

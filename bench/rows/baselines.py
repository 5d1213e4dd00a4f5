"""What the machine itself costs. Nothing here depends on this project's code, so trimming or fattening it moves no
baseline. Measured at the start and at the end of a run: the difference is the machine's drift."""

from __future__ import annotations

import asyncio
import sys
import time

import grpc

from bench.measure import DRIVERS, Context, Row

BASELINE = True

BARE_FORK = "fork, exit and reap of a bare interpreter"
ECHO = "gRPC echo, 500 bytes, one caller"


def rows(context: Context) -> list[Row]:
    """Forking a `python -I -S`, and an empty gRPC call over the loopback."""
    address = context.listening(sys.executable, "-I", str(DRIVERS / "echo_server.py"))
    return [
        Row(BARE_FORK, context.driver("bare_fork", str(context.count(500)), flags=("-I", "-S"))),
        Row(ECHO, asyncio.run(_echo(address, context.count(1000)))),
    ]


async def _echo(address: str, count: int) -> tuple[int, ...]:
    async with grpc.aio.insecure_channel(address) as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/bench.Echo/Echo")
        payload = bytes(500)
        for _ in range(50):
            await call(payload)
        samples = []
        for _ in range(count):
            started = time.perf_counter_ns()
            await call(payload)
            samples.append(time.perf_counter_ns() - started)
        return tuple(samples)

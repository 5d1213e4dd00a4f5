"""Making a child that waits for a task, and getting rid of one: what each task pays where no child is kept warm."""

from __future__ import annotations

import asyncio
import os
import time

from bench.measure import Context, NotAvailable, Ratio, Row
from bench.rows.baselines import BARE_FORK
from langserver.sandbox.probe import probe
from langserver.wire.frames import Kind, encode
from langserver.zygote.child_handle import Child
from langserver.zygote.client import Zygote
from langserver.zygote.failures import SpawnRefused, ZygoteError, ZygoteLost

SEALED = "{} child, from the request to sealed"
GONE = "{} child, sealed and unused, from kill to reaped"
MEMORY_BYTES = 128 << 20
CPU_SECONDS = 30

RATIOS = (Ratio("a sealed Python child over a bare fork", SEALED.format("python"), (BARE_FORK,), "what the seal adds"),)


def rows(context: Context) -> list[Row]:
    """Both runtimes, under every layer this host has."""
    count = context.count(200)
    return [row for runtime in ("python", "js") for row in asyncio.run(_spawn(runtime, count))]


async def _spawn(runtime: str, count: int) -> tuple[Row, Row]:
    layers = frozenset(layer.name for layer in probe() if layer.available)
    try:
        zygote = await Zygote.start(runtime, layers)
    except ZygoteError as error:
        raise NotAvailable(str(error)) from None
    sealing, ending = [], []
    try:
        for number in range(-5, count):
            started = time.perf_counter_ns()
            child = await zygote.spawn(MEMORY_BYTES, CPU_SECONDS)
            await _until_sealed(child)
            sealed = time.perf_counter_ns()
            child.kill()
            await child.exit
            ended = time.perf_counter_ns()
            zygote.release(child)
            if number >= 0:
                sealing.append(sealed - started)
                ending.append(ended - sealed)
    except (SpawnRefused, ZygoteLost) as error:
        raise NotAvailable(f"a {runtime} child could not be made: {error}") from None
    finally:
        await zygote.close()
    return Row(SEALED.format(runtime), tuple(sealing)), Row(GONE.format(runtime), tuple(ending))


async def _until_sealed(child: Child) -> None:
    loop = asyncio.get_running_loop()
    readable = loop.create_future()
    loop.add_reader(child.report_fd, readable.set_result, None)
    await readable
    loop.remove_reader(child.report_fd)
    if os.read(child.report_fd, 64) != encode(Kind.SEALED):
        raise NotAvailable("a child ended before it was sealed")

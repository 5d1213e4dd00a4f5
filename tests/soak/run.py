"""`make soak`: half an hour of hostile and ordinary tasks, and whether anything has grown: status 1."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import grpc
import psutil

from langserver.pb import lang_pb2, lang_pb2_grpc
from langserver.sandbox.probe import probe
from tests.integration.server.harness import Server, running_server
from tests.soak.load import GUARD_SECONDS, Load
from tests.soak.sample import sample, settle, zygotes
from tests.soak.verdict import LEAST_SAMPLES, Line, judge

CALLERS = 8
SAMPLES = 60
_LEAST_PAUSE_SECONDS = 3.0
_PROBES = 30
_WARM = 2
_SEED = 7
_TOKENS = {name: f"{name}-of-the-soak-test" for name in ("first", "second", "third")}
# Zygotes are replaced by their age and their number of tasks too, some times in the shortest run.
_SETTINGS = {
    "LANG_RUNTIMES": "python,js",
    "LANG_MAX_CONCURRENCY": "4",
    "LANG_WARM_CHILDREN": str(_WARM),
    "LANG_ZYGOTE_MAX_TASKS": "700",
    "LANG_ZYGOTE_MAX_AGE": "45",
}


def main(seconds: float) -> int:
    """Runs so long; prints a table and a verdict."""
    if os.geteuid() != 0:
        print("only root may see what processes hold that are not dumpable", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, open(Path(folder, "log"), "w+") as log:
        tokens = Path(folder, "tokens")
        tokens.write_text("".join(f"{name}:{token}\n" for name, token in _TOKENS.items()))
        with running_server(stderr=log, LANG_AUTH_TOKENS_FILE=str(tokens), **_SETTINGS) as server:
            load, samples = asyncio.run(_soak(server, seconds))
            server.signal()
            status, _, _ = server.wait()
        log.seek(0)
        tracebacks = log.read().count("Traceback")
    return _tell(load, samples, status, tracebacks)


async def _soak(server: Server, seconds: float) -> tuple[Load, list[dict[str, float]]]:
    load, samples, chance = Load(_SEED), list[dict[str, float]](), random.Random(_SEED)
    pid, end = server.process.pid, time.monotonic() + seconds
    pause = max(_LEAST_PAUSE_SECONDS, seconds / SAMPLES)
    at_rest = 2 * (1 + _WARM) + 2 * _has_launchers()
    async with AsyncExitStack() as stack:
        stubs = []
        for _ in _TOKENS:
            channel = await stack.enter_async_context(grpc.aio.insecure_channel(server.address))
            stubs.append(lang_pb2_grpc.LanguageServerStub(channel))
        tokens = list(_TOKENS.values())
        callers = [asyncio.create_task(load.call_on(stubs[n % 3], tokens[n % 3])) for n in range(CALLERS)]
        try:
            while time.monotonic() < end or len(samples) < LEAST_SAMPLES:
                load.go()
                await asyncio.sleep(pause / 2)
                _kill_one(chance.choice(await asyncio.to_thread(zygotes, pid)))
                await asyncio.sleep(pause / 2)
                await load.rest()
                await asyncio.to_thread(settle, pid, at_rest)
                held = await asyncio.to_thread(sample, pid)
                samples.append(held | await _latency(stubs[0], tokens[0]))
                if any(caller.done() for caller in callers):
                    break
        finally:
            for caller in callers:
                caller.cancel()
            ended = await asyncio.gather(*callers, return_exceptions=True)
    for error in ended:
        if isinstance(error, Exception):
            raise error
    return load, samples


def _kill_one(zygote: psutil.Process) -> None:
    with suppress(psutil.Error):
        zygote.kill()


async def _latency(stub: lang_pb2_grpc.LanguageServerStub, token: str) -> dict[str, float]:
    """Of a trivial task, by the names in `verdict.BOUNDS` and, for the reader, in milliseconds: medians of some."""
    request = lang_pb2.ExecuteRequest(runtime="python", inline_code=lang_pb2.InlineCode(code="return 1"))
    tasks, processes = [], []
    for _ in range(_PROBES):
        began = time.monotonic()
        await stub.Execute(request, timeout=GUARD_SECONDS, metadata=(("authorization", f"Bearer {token}"),))
        between = time.monotonic()
        _start_a_process()
        tasks.append(between - began)
        processes.append(time.monotonic() - between)
    task = statistics.median(tasks)
    return {"latency, in processes": task / statistics.median(processes), "latency, ms": task * 1000}


def _start_a_process() -> None:
    """And waits for it: nothing else is to be done meanwhile."""
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)


def _has_launchers() -> bool:
    return {layer.name: layer.available for layer in probe()}["namespaces"]


def _tell(load: Load, samples: Sequence[Mapping[str, float]], status: int, tracebacks: int) -> int:
    lines = judge(samples)
    print(f"{sum(load.seen.ended.values())} calls of {CALLERS} callers, {len(samples)} samples at rest")
    print("  " + ", ".join(f"{name} {number}" for name, number in load.seen.ended.most_common()))
    print(f"\n{'medians of thirds':<24}{'first':>9}{'middle':>9}{'last':>9}{'at most':>9}")
    for line in lines:
        print(_row(line))
    print(f"a trivial task at rest: {statistics.median(sample['latency, ms'] for sample in samples):.1f} ms")
    for wrong in load.seen.wrong[:20]:
        print(f"wrong: {wrong}")
    problems = [f"{line.name} grew" for line in lines if not line.holds]
    problems += [f"{len(load.seen.wrong)} calls ended wrongly"] if load.seen.wrong else []
    problems += [f"the server ended with status {status}"] if status else []
    problems += [f"{tracebacks} tracebacks in its log"] if tracebacks else []
    print(f"\n{'; '.join(problems) or 'nothing has grown'}")
    return 1 if problems else 0


def _row(line: Line) -> str:
    numbers = "".join(f"{number:>9.1f}" for number in (line.first, line.middle, line.last, line.most))
    return f"{line.name:<24}{numbers}{'' if line.holds else '  GREW'}"


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))

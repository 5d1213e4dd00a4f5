"""Whole calls: a trivial task of each runtime through a server with default settings, one caller."""

from __future__ import annotations

import asyncio
import time

import grpc

from bench.measure import Context, NotAvailable, Ratio, Row
from bench.rows.baselines import BARE_FORK, ECHO
from bench.rows.interpreter import FRESH
from langserver.pb import lang_pb2, lang_pb2_grpc

PYTHON = "Execute python, trivial task"
JS = "Execute js, trivial task"

TASKS = {
    PYTHON: ("python", "def main(inputs):\n    return inputs['n'] + 1\n"),
    JS: ("js", "function main(inputs) { return inputs.n + 1 }\n"),
}

RATIOS = (
    Ratio("a Python task over the floor", PYTHON, (ECHO, BARE_FORK), "the floor is a call and a fork that do nothing"),
    Ratio("a JavaScript task over the floor", JS, (ECHO, BARE_FORK), "likewise"),
    Ratio("a fresh interpreter over a Python task", FRESH, (PYTHON,), "what forking saves"),
)


def rows(context: Context) -> list[Row]:
    """The time from the request to the response, as its caller sees it."""
    address = context.language_server()
    count = context.count(200)
    return [Row(name, asyncio.run(_execute(address, *task, count))) for name, task in TASKS.items()]


async def _execute(address: str, runtime: str, code: str, count: int) -> tuple[int, ...]:
    request = lang_pb2.ExecuteRequest(
        runtime=runtime, input_json='{"n": 41}', inline_code=lang_pb2.InlineCode(code=code)
    )
    async with grpc.aio.insecure_channel(address) as channel:
        stub = lang_pb2_grpc.LanguageServerStub(channel)
        samples = []
        for number in range(-5, count):
            started = time.perf_counter_ns()
            response = await stub.Execute(request, timeout=60)
            elapsed = time.perf_counter_ns() - started
            if response.output_json != "42":
                raise NotAvailable(f"the {runtime} task failed: {response.error.message}")
            if number >= 0:
                samples.append(elapsed)
        return tuple(samples)

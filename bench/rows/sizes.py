"""How the time of a call grows with its code, its input, its output and its log."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bench.calls import Caller, Task
from bench.context import Context, language_server
from bench.measure import Row, Series
from bench.tasks import long_js, long_python

# The defaults refuse the largest ones; the limits on time stay.
_SETTINGS = {"LANG_OUTPUT_BYTES": str(16 << 20), "LANG_LOG_BYTES": str(16 << 20), "LANG_MEMORY_MB": "1024"}
_SECONDS = 2.0  # a row takes no longer, after two samples
_LINES = (10, 100, 1000, 5000)
_BYTES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
_LOG_LINES = (1, 100, 10_000, 100_000)


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    per: str
    sizes: tuple[int, ...]
    task: Callable[[str, int], Task]
    new_each_time: bool = False


def _code(runtime: str, lines: int) -> Task:
    """Never the same text twice: compiling it is what grows."""
    write = long_python if runtime == "python" else long_js
    return Task(runtime, write(lines, next(_marks)))


def _input(runtime: str, size: int) -> Task:
    code = {"python": "def main(inputs):\n    return len(inputs)\n", "js": "function main(x) { return x.length }"}
    items = [{"name": f"item {number}", "price": number} for number in range(size // 34)]
    return Task(runtime, code[runtime], json.dumps(items), str(len(items)))


def _output(runtime: str, size: int) -> Task:
    code = {
        "python": "def main(inputs):\n    return [{'name': f'item {n}', 'price': n} for n in range(%d)]\n",
        "js": "function main() { return Array.from({ length: %d }, (_, n) => ({ name: `item ${n}`, price: n })) }",
    }
    return Task(runtime, code[runtime] % (size // 34))


def _log(runtime: str, lines: int) -> Task:
    code = {
        "python": "def main(inputs):\n    for n in range(%d):\n        print('line', n)\n    return n\n",
        "js": "function main() { let n = 0; for (; n < %d; n++) console.log('line', n); return n - 1 }",
    }
    return Task(runtime, code[runtime] % lines, expected=str(lines - 1))


_KINDS = (
    _Kind("code", "line", _LINES, _code, new_each_time=True),
    _Kind("input", "byte", _BYTES, _input),
    _Kind("output", "byte", _BYTES, _output),
    _Kind("log", "line", _LOG_LINES, _log),
)
_marks = itertools.count()
_RUNTIMES = ("python", "js")


def _same(task: Task) -> Task:
    return task


def _name(runtime: str, kind: _Kind, size: int) -> str:
    return f"{runtime}, {kind.name} of {size:,} {kind.per}s"


SERIES = tuple(
    Series(f"{runtime}, {kind.name}", kind.per, tuple((size, _name(runtime, kind, size)) for size in kind.sizes))
    for kind in _KINDS
    for runtime in _RUNTIMES
)


def rows(context: Context) -> list[Row]:
    """One call at a time to a server that allows the largest sizes."""
    with language_server(_SETTINGS) as server:
        return asyncio.run(_rows(server.address, context))


async def _rows(address: str, context: Context) -> list[Row]:
    found = []
    async with Caller(address) as caller:
        for kind in _KINDS:
            for runtime in _RUNTIMES:
                for size in kind.sizes[:2] if context.quick else kind.sizes:
                    task = kind.task(runtime, size)
                    make = partial(kind.task, runtime, size) if kind.new_each_time else partial(_same, task)
                    taken = await caller.for_a_while(make, context.count(30), context.seconds(_SECONDS))
                    found.append(Row(_name(runtime, kind, size), tuple(one.ns for one in taken)))
    return found

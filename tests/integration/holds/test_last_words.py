"""A Python task that a limit ends is told the line in which it was; what became of it is not the program's to say.

The child has all the time it wants for its last words here: how long it needs depends on the machine.
"""

from __future__ import annotations

import json

import pytest

from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.limits import Asked
from langserver.zygote import execution
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import one_zygote
from tests.security.layers import KERNEL_LAYERS

LAYERS = frozenset({"policy", "audit", *KERNEL_LAYERS.split(",")})
AS_LONG_AS_MAY_BE = 9.0  # after ten seconds the server gives the zygote up

PLACES = {
    "a loop": ("def count(n):\n    while True:\n        n += 1\ndef main():\n    count(0)", (2, 3), "in count"),
    "at the top level": ("n = 0\nwhile True:\n    n += 1", (2, 3), "in <module>"),
    "inside the library": (
        "import json\nrows = [[1] * 1000] * 1000\nwhile True: json.dumps(rows, indent=1)",
        (3,),
        "while True: json.dumps",
    ),
    "a wait": ("import time\ndef main():\n    time.sleep(1000)", (3,), "time.sleep(1000)"),
    "a regular expression": (
        "import re\ndef main():\n    return re.match(r'(a+)+$', 'a' * 64 + 'b')",
        (3,),
        "re.match",
    ),
    "after other calls": ("sum(range(10**7))\nn = 0\nwhile True: n += 1", (1, 3), "in <module>"),
    "a coroutine that waits": (
        "import asyncio\nasync def inner():\n    await asyncio.sleep(1000)\nasync def main():\n    await inner()",
        (3,),
        "await asyncio.sleep(1000)",
    ),
    "a generator": ("def gen():\n    while True: yield 1\ndef main():\n    return sum(gen())", (2, 4), "in main"),
    "far down": (
        "def deep(n):\n    while n == 900: pass\n    deep(n + 1)\ndef main(): deep(0)",
        (2,),
        "more frames",
    ),
}


async def ended(code: str, monkeypatch: pytest.MonkeyPatch, **asked: int) -> Failure:
    monkeypatch.setattr(execution, "LAST_WORDS_SECONDS", AS_LONG_AS_MAY_BE)
    async with one_zygote("python", LAYERS) as supply:
        outcome = await supply.run(TaskRequest("python", code, asked=Asked(**asked)))
    assert outcome.verdict.failure is not None, outcome
    return outcome.verdict.failure


@pytest.mark.parametrize("name", PLACES)
async def test_a_timeout_names_the_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code, lines, part = PLACES[name]
    failure = await ended(code, monkeypatch, timeout_seconds=1)
    assert failure.kind is ErrorKind.TIMEOUT
    assert failure.line in lines, failure
    assert part in failure.traceback
    assert failure.hint == f"the program was in line {failure.line} then"
    assert "langserver" not in failure.traceback
    assert "/" not in failure.traceback


async def test_the_cpu_limit_names_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    failure = await ended("def main():\n    while True: pass", monkeypatch, timeout_seconds=100, cpu_seconds=1)
    assert (failure.kind, failure.line) == (ErrorKind.CPU_LIMIT, 2)
    assert "in main" in failure.traceback


# With one second of CPU time after the limit, or as long as the server lets it, nothing of the program goes on.
UNWILLING = {
    "catches everything": """
def main():
    try:
        while True: pass
    except BaseException:
        return "won"
""",
    "goes on in finally": """
def main():
    try:
        while True: pass
    finally:
        return "won"
""",
    "has a result in time, in one call of C": """
import time
def main():
    before = time.process_time()
    sum(range(10**7))
    taken = time.process_time() - before
    sum(range(int(10**7 * 1.4 / taken)))  # some 1.4 s of CPU time, however fast the interpreter is
    return "won"
""",
    "has finalizers and cycles": """
class A:
    def __init__(self): self.me = self
    def __del__(self):
        while True: pass
def main():
    while True: A()
""",
    "is out of stack": """
def deep(n):
    try:
        deep(n + 1)
    except RecursionError:
        while True: pass
main = lambda: deep(0)
""",
    "counts on recursion": """
def main():
    def f():
        try: f()
        finally: f()
    try: f()
    except BaseException: pass
    while True: pass
""",
}


@pytest.mark.parametrize("name", UNWILLING)
async def test_nothing_of_the_program_goes_on(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    failure = await ended(UNWILLING[name], monkeypatch, timeout_seconds=100, cpu_seconds=1)
    assert failure.kind is ErrorKind.CPU_LIMIT, failure


async def test_running_out_of_memory_names_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "def fill(kept):\n    while True:\n        kept.append(bytes(1 << 20))\ndef main():\n    fill([])"
    failure = await ended(code, monkeypatch, memory_mb=64)
    assert (failure.kind, failure.line) == (ErrorKind.MEMORY_LIMIT, 3)


async def test_a_report_on_its_way_is_not_mixed_with_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a frame of log is written when the time is up: the kind of the outcome is the server's all the same."""
    code = "import time\nwhile True: print('x' * 8000)"
    failure = await ended(code, monkeypatch, timeout_seconds=1, log_bytes=1 << 30)
    assert failure.kind is ErrorKind.TIMEOUT


async def test_a_task_that_ends_in_time_has_its_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "LAST_WORDS_SECONDS", AS_LONG_AS_MAY_BE)
    async with one_zygote("python", LAYERS) as supply:
        outcome = await supply.run(TaskRequest("python", "return 1"))
    assert outcome.verdict.report is not None
    assert json.loads(outcome.verdict.report.output) == 1

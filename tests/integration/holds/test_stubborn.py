"""Programs that ignore everything are ended at their timeout all the same."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from langserver.core.outcome import ErrorKind
from langserver.limits import Asked
from langserver.pb import lang_pb2
from langserver.zygote.limits import lower_limits
from langserver.zygote.request import TaskRequest
from tests.integration.holds.conftest import ServerProcess, until
from tests.integration.holds.direct import one_zygote

STUBBORN = {
    "regex backtracking": ("python", "import re\ndef main(): return bool(re.match(r'(a+)+$', 'a' * 64 + 'b'))"),
    "a huge integer power": ("python", "def main(): return str(7 ** (7 ** 12))[:1]"),
    "an endless except loop": (
        "python",
        "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass",
    ),
    "a hostile __str__": (
        "python",
        "class E(Exception):\n    def __str__(self):\n        while True: pass\ndef main():\n    raise E()",
    ),
    "sleep": ("python", "import time\ndef main():\n    time.sleep(1000)"),
    "microtasks": ("js", "const f = () => { Promise.resolve().then(f) }; function main() { f(); return 1 }"),
    "a hostile toJSON": ("js", "function main() { return {toJSON() { for (;;) {} }} }"),
    "a hostile thenable": ("js", "function main() { return {then(ok) { ok(this) }} }"),
    "js regex backtracking": ("js", "function main() { return /^(a+)+$/.test('a'.repeat(64) + 'b') }"),
    "an endless timer": ("js", "async function main() { await new Promise(() => setInterval(() => 0, 1)) }"),
    "an endless body": ("js", "for (;;) { try { for (;;) {} } catch {} }"),
}


@pytest.mark.parametrize("name", STUBBORN)
def test_it_ends_at_its_timeout(name: str, server: ServerProcess) -> None:
    runtime, code = STUBBORN[name]
    response = server.execute(code, runtime, timeout=1)
    assert lang_pb2.ErrorKind.Name(response.error.kind) == "ERROR_KIND_TIMEOUT", response.error
    assert "1 s" in response.error.message


def test_logs_before_the_kill_are_part_of_the_response(server: ServerProcess) -> None:
    for runtime, code in (
        ("python", "print('before')\nwhile True: pass"),
        ("js", "console.log('before'); for (;;) {}"),
    ):
        response = server.execute(code, runtime, timeout=1)
        assert [line.text for line in response.logs] == ["before"]
        assert response.error.kind == lang_pb2.ERROR_KIND_TIMEOUT


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_cpu_seconds_end_a_busy_task_before_its_timeout(runtime: str, server: ServerProcess) -> None:
    code = {"python": "while True: pass", "js": "for (;;) {}"}[runtime]
    response = server.execute(code, runtime, timeout=30, limits=lang_pb2.Limits(cpu_seconds=1))
    assert lang_pb2.ErrorKind.Name(response.error.kind) == "ERROR_KIND_CPU_LIMIT", response.error
    assert "1 s of CPU" in response.error.message


# Native code; the filter would refuse it the change.
IGNORING = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"


async def test_ignoring_the_signal_of_the_limit_gains_one_second() -> None:
    """The hard limit is one second above it, and its SIGKILL is told from others by the time that was used."""
    async with one_zygote("python", frozenset({"privileges", "rlimits"})) as supply:
        request = TaskRequest("python", IGNORING, asked=Asked(timeout_seconds=200, cpu_seconds=1))
        outcome = await supply.run(request)
    assert outcome.verdict.failure is not None
    assert outcome.verdict.failure.kind is ErrorKind.CPU_LIMIT
    assert outcome.usage.cpu_seconds > 1.5, "it lived on after the signal"


BUSY_BEFORE = "import time\nwhile time.process_time() < 0.7: pass\nprint(flush=True)\ntime.sleep(60)"


def test_what_a_child_used_before_its_task_costs_the_task_nothing() -> None:
    """The kernel counts from the fork, in whole seconds; the limit of a task begins when the task comes."""
    with subprocess.Popen([sys.executable, "-c", BUSY_BEFORE], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert lower_limits("python", child.pid, None, 5) == 0
        assert resource.prlimit(child.pid, resource.RLIMIT_CPU) == (6, 7)
        child.kill()


def is_filtered(pid: int) -> bool:
    return "Seccomp:\t2\n" in Path(f"/proc/{pid}/status").read_text()


def stop_the_waiting_child(server: ServerProcess, runtime: str) -> int:
    """From here on it reads nothing; its pid."""
    (zygote,) = server.zygotes(runtime)
    until(lambda: [is_filtered(child.pid) for child in zygote.children()] == [True], "one child waits, sealed")
    (child,) = zygote.children()
    os.kill(child.pid, signal.SIGSTOP)
    return child.pid


def test_a_child_that_reads_nothing_holds_up_nobody(make_server: Callable[..., ServerProcess]) -> None:
    server = make_server(LANG_WARM_CHILDREN="1")
    large = json.dumps("x" * (2 << 20))  # a pipe holds 64 KiB of it
    for runtime, code in (("python", "result = len(inputs)"), ("js", "inputs.length")):
        assert server.execute(code, runtime, input_json='"a"').output_json == "1"
        stopped = stop_the_waiting_child(server, runtime)
        with ThreadPoolExecutor(1) as callers:
            stuck = callers.submit(server.execute, code, runtime, input_json=large, timeout=60)
            until(lambda runtime=runtime: len(server.zygotes(runtime)[0].children()) == 2, "another was made for it")
            assert server.execute(code, runtime, input_json=large).output_json == str(2 << 20)
            assert not stuck.done()
            os.kill(stopped, signal.SIGCONT)
            assert stuck.result().output_json == str(2 << 20)
        stop_the_waiting_child(server, runtime)
        error = server.execute(code, runtime, input_json=large, timeout=1).error
        assert lang_pb2.ErrorKind.Name(error.kind) == "ERROR_KIND_TIMEOUT", error

"""Twenty callers at once, every kind of outcome: each is answered rightly, and nothing is left behind."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from langserver.pb import lang_pb2_grpc
from tests.integration.holds.conftest import GUARD_SECONDS, ServerProcess, settled
from tests.integration.holds.mixed import TASKS, judge, request

CALLERS = 20
SLOW_OUTCOMES = {"TIMEOUT"}


def call(stub: lang_pb2_grpc.LanguageServerStub, number: int) -> str:
    # One in twenty tasks runs into its timeout: more would only make the test wait.
    quick = [task for task in TASKS if task.expected not in SLOW_OUTCOMES]
    task = TASKS[number % len(TASKS)] if number % 20 == 0 else quick[number % len(quick)]
    return judge(task, number, stub.Execute(request(task, number), timeout=2 * GUARD_SECONDS))


def run(server: ServerProcess, first: int, count: int) -> list[str]:
    with ThreadPoolExecutor(CALLERS) as callers:
        answers = callers.map(lambda number: call(server.stub, number), range(first, first + count))
        return [f"{number}: {why}" for number, why in enumerate(answers, first) if why]


def memory(server: ServerProcess) -> int:
    return int(psutil.Process(server.process.pid).memory_info().rss)


def load(make_server: Callable[..., ServerProcess], first: int, rest: int) -> tuple[int, int]:
    server = make_server(LANG_MAX_QUEUE="100", LANG_WARM_CHILDREN="2")
    run(server, 0, 40)
    settled(server, 2)
    descriptors = server.descriptors
    assert run(server, 0, first) == []
    settled(server, 2)
    assert server.descriptors == descriptors
    early = memory(server)
    assert run(server, first, rest) == []
    settled(server, 2)
    assert server.descriptors == descriptors
    return early, memory(server)


def test_hundreds_of_mixed_executions_leave_nothing(make_server: Callable[..., ServerProcess]) -> None:
    load(make_server, 150, 250)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_five_thousand_mixed_executions_leave_nothing_and_memory_is_flat(
    make_server: Callable[..., ServerProcess],
) -> None:
    early, late = load(make_server, 1000, 4000)
    assert late < early * 1.1, f"{early >> 20} MiB after 1,000 executions, {late >> 20} MiB after 5,000"

"""The executor of a language runtime: against a server that answers as told, and a real one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import grpc
import pytest

from langserver.pb import lang_pb2 as pb
from tests.bridge.callers import plain_caller
from tests.bridge.executors.fake_language_server import FakeLanguageServer, exhausted
from tests.bridge.language_server import LanguageServer
from tests.bridge.tasks import a_task, program
from tests.bridge.waiting import until
from worker_bridge.core.outcome import Outcome
from worker_bridge.executors.language import LanguageExecutor
from worker_bridge.executors.registry import Executors
from worker_bridge.spans import Spans

Start = Callable[..., Awaitable[LanguageExecutor]]
TASK = a_task(input=program("return 1"))
ONE = Outcome(completed=True, output=b"1")


@pytest.fixture
def alarms() -> list[str]:
    return []


@pytest.fixture
async def start(alarms: list[str]) -> AsyncIterator[Start]:
    """An executor on servers, which end with the test."""
    made: list[LanguageExecutor] = []
    started: list[FakeLanguageServer] = []

    async def start(*servers: FakeLanguageServer) -> LanguageExecutor:
        for server in servers:
            await server.start()
            started.append(server)
        addresses = [server.address for server in servers]
        executor = LanguageExecutor("python", addresses, alarms.append, plain_caller(), Spans(None, "w"))
        await executor.start()
        made.append(executor)
        return executor

    yield start
    for executor in made:
        await executor.close()
    for server in started:
        await server.stop()


NO_ANSWERS = [
    b"\xff\xff",
    b"\x10\x01\x1a\x02\xff\xfe",
    pb.ExecuteResponse(task_id="other", success=True, output_json="2"),
]


@pytest.mark.parametrize("answer", NO_ANSWERS, ids=["no message", "no UTF-8", "another task's"])
async def test_an_answer_that_is_none_is_asked_for_again_and_in_the_end_the_servers_fault(
    start: Start, answer: object
) -> None:
    server = FakeLanguageServer(answer)
    executor = await start(server)
    assert await executor.execute(TASK, 90) == ONE
    server.answers = [answer] * 3
    outcome = await executor.execute(TASK, 90)
    assert (outcome.completed, outcome.terminal, outcome.output) == (False, False, b"")
    assert outcome.error.startswith(f"INTERNAL: python at {server.address}: its answer ")


async def test_what_is_asked_of_a_server(start: Start) -> None:
    server = FakeLanguageServer()
    executor = await start(server)
    trace = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"
    text = (
        '{"code": "c", "input": [1.50], "filename": "f.py", "timeout_seconds": 7, "timezone": "Asia/Tokyo",'
        ' "seed": 0, "limits": {"memory_mb": 9}}'
    )
    assert await executor.execute(a_task(task_id="t", input=text, traceparent=trace), 90) == ONE
    assert server.requests[0] == pb.ExecuteRequest(
        task_id="t",
        runtime="python",
        input_json="[1.50]",
        timeout_seconds=7,
        metadata={"from": "worker", "run_id": "run", "node_id": "node", "attempt": "1"},
        limits=pb.Limits(memory_mb=9),
        timezone="Asia/Tokyo",
        seed=0,
        inline_code=pb.InlineCode(code="c", filename="f.py"),
    )
    assert server.calls[0]["traceparent"] == trace
    assert 11 < server.deadlines[0] < 12.5


@pytest.mark.parametrize(("asked", "given"), [({}, 85), ({"timeout_seconds": 84}, 84), ({"timeout_seconds": 900}, 85)])
async def test_a_timeout_leaves_the_server_time_to_answer(start: Start, asked: dict, given: int) -> None:
    server = FakeLanguageServer()
    executor = await start(server)
    await executor.execute(a_task(input=program("", **asked)), 90)
    assert server.requests[0].timeout_seconds == given
    assert not server.requests[0].HasField("seed")
    assert given + 4 < server.deadlines[0] < given + 5.5


@pytest.mark.parametrize(
    ("answer", "alarmed"),
    [
        ((grpc.StatusCode.UNAVAILABLE, "draining"), False),
        ((grpc.StatusCode.CANCELLED, ""), False),
        (exhausted(0.05), False),
        ((grpc.StatusCode.UNAUTHENTICATED, "no token"), True),
        ((grpc.StatusCode.PERMISSION_DENIED, "no"), True),
        ((grpc.StatusCode.UNIMPLEMENTED, "another service"), True),
    ],
)
async def test_a_servers_trouble_is_never_the_tasks(
    start: Start, alarms: list[str], answer: object, alarmed: bool
) -> None:
    server = FakeLanguageServer(*[answer] * 4)
    executor = await start(server)
    assert await executor.execute(TASK, 90) == ONE
    assert len(server.requests) == 5
    assert (len(alarms) == 4) is alarmed


async def test_a_server_in_trouble_is_left_for_another(start: Start) -> None:
    one = FakeLanguageServer(*[(grpc.StatusCode.UNAVAILABLE, "zygote lost")] * 1000)
    other = FakeLanguageServer()
    executor = await start(one, other)
    for _ in range(20):
        assert await executor.execute(TASK, 90) == ONE
    assert len(other.requests) == 20
    assert len(one.requests) < 10


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ((grpc.StatusCode.INVALID_ARGUMENT, "unknown zone 'X'"), "INVALID_ARGUMENT: unknown zone 'X'"),
        ((grpc.StatusCode.RESOURCE_EXHAUSTED, "message too large"), "RESOURCE_EXHAUSTED: message too large"),
    ],
)
async def test_a_refused_request_is_terminal(start: Start, answer: object, error: str) -> None:
    server = FakeLanguageServer(answer)
    executor = await start(server)
    outcome = await executor.execute(TASK, 90)
    assert (outcome.status, outcome.error, outcome.terminal) == ("failed", error, True)
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [grpc.StatusCode.INTERNAL, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNKNOWN])
async def test_what_may_be_the_tasks_fault_is_not_tried_without_end(start: Start, code: grpc.StatusCode) -> None:
    server = FakeLanguageServer(*[(code, "hm")] * 9)
    executor = await start(server)
    outcome = await executor.execute(TASK, 90)
    assert outcome.error.startswith("INTERNAL: python at")
    assert not outcome.terminal
    assert len(server.requests) == 3


async def test_a_bad_input_is_terminal_and_asks_nobody(start: Start) -> None:
    server = FakeLanguageServer()
    executor = await start(server)
    outcome = await executor.execute(a_task(input="[]"), 90)
    assert outcome.error.startswith("INVALID_ARGUMENT: the task's input")
    assert outcome.terminal
    assert server.requests == []


async def test_the_least_busy_server_is_next(start: Start) -> None:
    servers = [FakeLanguageServer() for _ in range(3)]
    for server in servers:
        server.hold = asyncio.Event()
    executor = await start(*servers)
    running = []
    for number in range(1, 10):
        running.append(asyncio.create_task(executor.execute(TASK, 90)))
        await until(lambda number=number: sum(len(server.requests) for server in servers) == number)
    assert [len(server.requests) for server in servers] == [3, 3, 3]
    held = servers[1].hold
    assert held is not None
    held.set()
    await until(lambda: sum(task.done() for task in running) == 3)
    servers[1].hold = asyncio.Event()
    running += [asyncio.create_task(executor.execute(TASK, 90)) for _ in range(3)]
    await until(lambda: len(servers[1].requests) == 6)
    for server in servers:
        assert server.hold is not None
        server.hold.set()
    assert set(await asyncio.gather(*running)) == {ONE}


async def test_a_server_that_does_not_serve_is_not_asked(start: Start) -> None:
    one, other = FakeLanguageServer(), FakeLanguageServer()
    one.serving = False
    executor = await start(one, other)
    await until(lambda: any(not server.well for server in executor._servers._servers))
    for _ in range(5):
        await executor.execute(TASK, 90)
    assert one.requests == []
    other.serving = False
    await until(lambda: not any(server.well for server in executor._servers._servers))
    waiting = asyncio.create_task(executor.execute(TASK, 90))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    one.serving = True
    assert await waiting == ONE
    assert len(one.requests) == 1


async def test_it_is_usable_while_a_server_is(start: Start) -> None:
    server = FakeLanguageServer()
    server.serving = False
    executors = Executors({"python": await start(server)})
    await until(lambda: not executors._by_type["python"]._servers._servers[0].well)  # type: ignore[attr-defined]
    waiting = asyncio.create_task(executors.usable("python:eu-west"))
    await executors.usable("gpu")  # of which nothing is known
    await asyncio.sleep(0.1)
    assert not waiting.done()
    server.serving = True
    await waiting


async def test_a_server_without_health_checks_is_tried(start: Start) -> None:
    executor = await start(FakeLanguageServer(health=False))
    await asyncio.sleep(0.2)
    assert await executor.execute(TASK, 90) == ONE


async def test_a_cancelled_execution_is_cancelled_at_the_server(start: Start) -> None:
    server = FakeLanguageServer()
    server.hold = asyncio.Event()
    executor = await start(server)
    running = asyncio.create_task(executor.execute(TASK, 90))
    await until(lambda: server.requests)
    running.cancel()
    await until(lambda: server.cancelled)
    assert executor._servers._servers[0].running == 0


async def test_unknown_node_types_fail_with_the_list_of_known_ones(start: Start) -> None:
    executors = Executors({"python": await start(FakeLanguageServer()), "js": await start(FakeLanguageServer())})
    outcome = await executors.execute(a_task(node_type="cobol"), 90)
    assert (outcome.error, outcome.terminal) == ("UNKNOWN_NODE_TYPE: no executor for 'cobol'; known: js, python", True)
    assert await executors.execute(a_task(node_type="node", input=program("1")), 90) == ONE


@pytest.fixture(scope="module")
def real() -> Iterator[LanguageServer]:
    server = LanguageServer()
    server.start()
    yield server
    server.stop()


@pytest.mark.parametrize(
    ("runtime", "code", "expected"),
    [
        ("python", "def main(n):\n    print('hi')\n    return n * 2", b"6"),
        ("js", "const main = ({n}) => { console.log('hi'); return n * 2 }", b"6"),
    ],
)
async def test_a_real_server_executes(
    real: LanguageServer, alarms: list[str], runtime: str, code: str, expected: bytes
) -> None:
    executor = LanguageExecutor(runtime, [real.address], alarms.append, plain_caller(), Spans(None, "w"))
    await executor.start()
    try:
        outcome = await executor.execute(a_task(input=program(code, input={"n": 3})), 90)
        assert (outcome.status, outcome.output) == ("completed", expected)
        assert json.loads(outcome.logs_json)[0]["text"] == "hi"
        failed = await executor.execute(a_task(input=program("\nthrow_(1)", filename="bad.x")), 90)
        assert failed.error.startswith("USER_ERROR: ")
        assert failed.error.endswith("(bad.x:2)")
        kind = json.loads(failed.error_json)["type"]
        assert kind in ("NameError", "ReferenceError")
        assert failed.error.startswith(f"USER_ERROR: {kind}: ")
        syntax = await executor.execute(a_task(input=program("def (")), 90)
        assert syntax.error.startswith("SYNTAX_ERROR")
        assert syntax.terminal
        late = await executor.execute(
            a_task(input=program("while (1) {}" if runtime == "js" else "while 1: pass", timeout_seconds=1)), 90
        )
        assert late.error.startswith("TIMEOUT")
        assert not late.terminal
        zone = await executor.execute(a_task(input=program("1", timezone="Nowhere/X")), 90)
        assert zone.error.startswith("INVALID_ARGUMENT")
        assert zone.terminal
    finally:
        await executor.close()

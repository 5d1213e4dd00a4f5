"""Children that write any bytes and end in any way: an allowed outcome each, nothing kept, no sibling's answer touched.

The server is a real one. Its Python tasks run without the language's layers, so that a program is what native code in
a sealed child would be.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from langserver.pb import lang_pb2
from tests.integration.holds.conftest import GUARD_SECONDS, NAMESPACES, ServerProcess, until
from tests.integration.hostile.children import CLOSING, FORKING, HONEST, QUICK, SLOW, WORDS, Hostile
from tests.integration.hostile.conftest import WARM, at_rest, memory, settled
from tests.integration.hostile.honest import Honest

NATIVE = "policy,audit"
CALLERS = 6
MIB = 1 << 20
MOST_GROWTH = 8 * MIB  # seen: 1 to 3; a round that kept its reports would add more
LOG_BYTES, MOST_EVENTS = 256 << 10, 64


@pytest.fixture(scope="module")
def server(make_hostile_server: Callable[..., ServerProcess]) -> ServerProcess:
    return make_hostile_server(NATIVE)


def outcome(server: ServerProcess, hostile: Hostile) -> str:
    """What became of it, as `allowed` says it."""
    request = lang_pb2.ExecuteRequest(
        task_id=hostile.name,
        runtime="python",
        inline_code=lang_pb2.InlineCode(code=hostile.program, filename="early" if hostile.early else ""),
        input_json=hostile.input_json,
        timeout_seconds=hostile.timeout,
    )
    try:
        response = server.stub.Execute(request, timeout=hostile.timeout + GUARD_SECONDS)
    except grpc.RpcError as error:
        return f"{error.code().name}: {error.details()}"  # type: ignore[attr-defined]
    assert response.task_id == hostile.name
    assert len(response.security_events) <= MOST_EVENTS
    assert sum(len(line.text.encode()) + 24 for line in response.logs) <= LOG_BYTES
    usage = response.usage
    assert 0 <= usage.run_seconds <= usage.wall_seconds
    assert 0 <= usage.compile_seconds <= usage.wall_seconds
    assert 0 <= usage.peak_memory_bytes < 128 * MIB
    if response.success:
        return f"OK: {response.output_json}"
    error = response.error
    assert 0 <= error.line < 2**31
    assert error.line or error.column == 0
    return f"{lang_pb2.ErrorKind.Name(error.kind).removeprefix('ERROR_KIND_')}: {error.message}"


def is_allowed(got: str, hostile: Hostile) -> bool:
    """By kind, and by the part of the message that says why."""
    kind, _, why = got.partition(": ")
    return any(kind == allowed.partition(": ")[0] and allowed.partition(": ")[2] in why for allowed in hostile.allowed)


def play(server: ServerProcess, rows: list[Hostile]) -> list[str]:
    """Runs them all, some at a time; what was not allowed."""
    with ThreadPoolExecutor(CALLERS) as callers:
        outcomes = callers.map(lambda hostile: outcome(server, hostile), rows)
        got = zip(rows, outcomes, strict=True)
        return [f"{row.name}: {text[:300]}" for row, text in got if not is_allowed(text, row)]


def serving(server: ServerProcess) -> bool:
    health = health_pb2_grpc.HealthStub(server.channel)
    answer = health.Check(health_pb2.HealthCheckRequest(service="python"), timeout=GUARD_SECONDS)
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


@pytest.mark.parametrize("hostile", QUICK, ids=lambda row: row.name)
def test_what_becomes_of_it(hostile: Hostile, server: ServerProcess) -> None:
    got = outcome(server, hostile)
    assert is_allowed(got, hostile), got[:1000]


def test_those_who_take_their_time(server: ServerProcess) -> None:
    with Honest(server) as honest:
        assert play(server, SLOW) == []
    assert honest.wrong == []
    assert honest.answered > 10


@pytest.mark.parametrize(("traceback", "kinds"), [(0, {"USER_ERROR"}), (20_000, {"CRASHED"})])
def test_what_is_said_of_a_source_fits_the_answer(traceback: int, kinds: set[str], server: ServerProcess) -> None:
    """As many problems as there may be, of bytes that U+FFFD would make three times as long."""
    code = f"""
texts = b"".join(struct.pack("!I", size) + b"\\xff" * size for size in (8192, 0, {traceback}, 2048))
say(STARTED, encode(Kind.REPORT, struct.pack("!QQHHI", 1, 1, 100, 0, 0) + (struct.pack("!BII", 3, 1, 1) + texts) * 100))
leave(0)
"""
    source = lang_pb2.InlineCode(code=WORDS + code, filename="early")
    request = lang_pb2.ValidateRequest(runtime="python", inline_code=source)
    response = server.stub.Validate(request, timeout=GUARD_SECONDS)
    assert {lang_pb2.ErrorKind.Name(one.kind).removeprefix("ERROR_KIND_") for one in response.problems} == kinds
    assert len(response.problems) == (1 if traceback else 100)
    assert response.ByteSize() < 1.1 * MIB


@pytest.mark.parametrize("rounds", [2, pytest.param(30, marks=[pytest.mark.slow, pytest.mark.timeout(900)])])
def test_round_after_round_beside_honest_siblings(rounds: int, server: ServerProcess) -> None:
    assert play(server, QUICK) == []
    settled(server)
    descriptors, before = server.descriptors, memory(server)
    with Honest(server) as honest:
        assert play(server, QUICK * rounds) == []
    settled(server)
    assert honest.wrong == []
    assert honest.answered > 20
    assert server.descriptors < descriptors + 10
    grown = memory(server) - before
    assert grown < MOST_GROWTH, f"{grown / MIB:.1f} MiB"
    assert serving(server)


def test_exit_codes_of_the_jail_do_not_take_the_runtime_down(server: ServerProcess) -> None:
    """Three jails that fail in a row make it NOT_SERVING: that is not for a task to say."""
    rows = [row for row in QUICK if "exit code" in row.name]
    assert len(rows) == 3
    for _ in range(5):
        assert play(server, rows) == []
        assert serving(server)


def test_a_pipe_closed_early_or_held_by_another(make_hostile_server: Callable[..., ServerProcess]) -> None:
    """With the layers off that refuse it: what a child leaves behind is no part of its answer."""
    server = make_hostile_server("policy,audit,privileges,rlimits,seccomp", LANG_RUNTIMES="python")
    assert play(server, [*CLOSING, *FORKING * 5]) == []
    # Who is left ends when the server closes its pipe; the first process of a namespace buries him with its next child.
    until(lambda: play(server, [HONEST]) == [] and at_rest(server, 1 + WARM + NAMESPACES), "nobody is left")

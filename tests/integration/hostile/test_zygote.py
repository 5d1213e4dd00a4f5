"""A zygote that has turned hostile: it costs the tasks it holds, and neither the server, nor a process of others, nor
any later answer.

It does in place of telling a child's end what the task's CPU limit asks for (`acts.py`).
"""

from __future__ import annotations

from collections.abc import Callable

import grpc
import pytest

from langserver.pb import lang_pb2
from tests.integration.holds.conftest import GUARD_SECONDS, ServerProcess, until
from tests.integration.hostile import acts, honest
from tests.integration.hostile.conftest import memory, settled, started

MIB = 1 << 20
LOST = "UNAVAILABLE zygote lost"
MOST_GROWTH = 16 * MIB
# The task that asks for it has a good end: what comes is about it no more, or about the next child.
AFTERWARDS = {"many_last_words", "servers_own_pidfd", "no_pidfd", "twice_born"}
# It takes the server five seconds to end a zygote that has gone silent.
PATIENT = {"empty_message"}
ACTS = [pytest.param(act, marks=[pytest.mark.slow] if act in PATIENT else []) for act in acts.NUMBERS]
ENDLESS = "print('started')\nwhile True: pass"


@pytest.fixture(scope="module")
def server(make_hostile_server: Callable[..., ServerProcess]) -> ServerProcess:
    """Without namespaces, where a zygote can name the server's process."""
    return make_hostile_server("policy,audit,namespaces", LANG_MAX_QUEUE="100")


def ask_for(server: ServerProcess, act: str) -> str:
    """Has the zygote do that; what became of the task, in which it was asked for."""
    request, value = honest.task("python", limits=lang_pb2.Limits(cpu_seconds=acts.NUMBERS[act]))
    return answer(server, request, value)


def answer(server: ServerProcess, request: lang_pb2.ExecuteRequest, value: str) -> str:
    try:
        return honest.fault(server.stub.Execute(request, timeout=GUARD_SECONDS), "python", value)
    except grpc.RpcError as error:
        return f"{error.code().name} {error.details()}".partition(":")[0]  # type: ignore[attr-defined]


def works(server: ServerProcess) -> None:
    for runtime in honest.PROGRAMS:
        request, value = honest.task(runtime)
        assert honest.fault(server.stub.Execute(request, timeout=GUARD_SECONDS), runtime, value) == ""


@pytest.mark.parametrize("act", ACTS)
def test_it_costs_its_own_tasks_and_nothing_else(act: str, server: ServerProcess) -> None:
    before = started(server, "python")
    assert ask_for(server, act) == ("" if act in AFTERWARDS else LOST)
    # Who meets it before it has gone may be lost; nobody gets a wrong answer.
    until(
        lambda: answer(server, *honest.task("python")) in ("", LOST) and not before & started(server, "python"),
        "it was replaced",
    )
    works(server)


def test_the_end_of_one_who_lives_is_not_believed(server: ServerProcess) -> None:
    request = lang_pb2.ExecuteRequest(runtime="python", inline_code=lang_pb2.InlineCode(code=ENDLESS))
    running = server.stub.ExecuteStream(request, timeout=GUARD_SECONDS)
    assert next(running).log.text == "started"
    assert ask_for(server, "end_of_one_who_lives") == LOST
    with pytest.raises(grpc.RpcError) as ended:
        next(running)
    assert ended.value.code() is grpc.StatusCode.UNAVAILABLE  # type: ignore[attr-defined]
    works(server)


def test_in_namespaces_too_a_descriptor_is_looked_at(make_hostile_server: Callable[..., ServerProcess]) -> None:
    """There by other means (`pidfd.is_below`), where the host has them."""
    server = make_hostile_server("policy,audit")
    before = started(server, "python")
    assert ask_for(server, "no_pidfd") == ""
    until(lambda: not before & started(server, "python"), "it was replaced")


def test_nothing_is_kept_of_it(server: ServerProcess) -> None:
    kept = ["many_descriptors", "many_answers"]
    for act in kept:
        ask_for(server, act)
    settled(server, launchers=1)
    descriptors, before = server.descriptors, memory(server)
    for act in kept:
        ask_for(server, act)
    settled(server, launchers=1)
    assert server.descriptors < descriptors + 10
    grown = memory(server) - before
    assert grown < MOST_GROWTH, f"{grown / MIB:.1f} MiB"

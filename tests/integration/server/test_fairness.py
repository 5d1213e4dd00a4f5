"""One caller's flood and another's tasks, told apart by their tokens. No times: who is let in, and in what order."""

from __future__ import annotations

import sys
from pathlib import Path

import grpc
import psutil
import pytest

from langserver.pb import lang_pb2
from tests.integration.server.harness import ENDLESS, PATIENCE, request, running_server, status_of, wait_for

QUEUE = 4
ROOT = Path(__file__).parents[3]
HEAVY, LIGHT = "heavy-heavy-heavy-", "light-light-light-"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    tokens = tmp_path_factory.mktemp("keys") / "tokens"
    tokens.write_text(f"heavy:{HEAVY}\nlight:{LIGHT}\n")
    settings = {"LANG_MAX_CONCURRENCY": "1", "LANG_MAX_QUEUE": str(QUEUE), "LANG_WARM_CHILDREN": "1"}
    with running_server(LANG_AUTH_TOKENS_FILE=str(tokens), **settings) as running:
        yield running


def by(token):
    return {"timeout": PATIENCE, "metadata": (("authorization", f"Bearer {token}"),)}


def refused(calls):
    return [call for call in calls if call.done() and call.code() is grpc.StatusCode.RESOURCE_EXHAUSTED]


def waiting(calls):
    return [call for call in calls if not call.done()]


@pytest.fixture
def flooded(server):
    """A caller, and the calls of a flood: one runs without end, and as many wait as can."""
    with server.connect() as client:
        running = client.stub.ExecuteStream(request(ENDLESS), **by(HEAVY))
        assert next(running).log.text == "started"
        calls = [client.stub.Execute.future(request(ENDLESS), **by(HEAVY)) for _ in range(QUEUE + 1)]
        wait_for(lambda: len(refused(calls)) == 1)
        yield client, running, calls
        for call in calls:
            call.cancel()
        running.cancel()


def test_a_light_callers_task_has_its_place_and_is_next(flooded):
    client, running, calls = flooded
    light = client.stub.Execute.future(request("return 'light'"), **by(LIGHT))
    wait_for(lambda: len(refused(calls)) == 2)  # one of the flood made room
    assert not light.done()
    code, details = status_of(lambda: client.stub.Execute(request("return 1"), **by(HEAVY)))
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert details.startswith("the queue is full: try again in ")
    running.cancel()
    assert light.result().output_json == '"light"'
    assert len(waiting(calls)) == QUEUE - 1  # who came before are still there, and the first of them runs


def test_validations_count_and_tenants_divide_what_is_their_callers(flooded):
    client, running, calls = flooded
    check = lang_pb2.ValidateRequest(runtime="python", inline_code=lang_pb2.InlineCode(code="return 1"))
    named = request("return 1", metadata={"tenant": "a"})
    validation = client.stub.Validate.future(check, **by(LIGHT))
    execution = client.stub.Execute.future(named, **by(LIGHT))
    wait_for(lambda: len(refused(calls)) == 3)  # half of the queue is each caller's now
    calls.append(client.stub.Execute.future(named, **by(HEAVY)))
    wait_for(lambda: len(refused(calls)) == 4)  # a tenant without a place takes one from his caller's other one
    code, _ = status_of(lambda: client.stub.Execute(request("return 1", metadata={"tenant": "b"}), **by(HEAVY)))
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED  # more names, and no more places
    running.cancel()
    assert validation.result().ok
    for call in waiting(calls):
        call.cancel()
    assert execution.result().output_json == "1"


SPINNING = {"python": ENDLESS, "js": "console.log('started'); while (true) {}"}


@pytest.mark.parametrize("runtime", SPINNING)
def test_who_came_lately_waits_for_no_endless_task_and_has_the_cores_first(runtime, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"heavy:{HEAVY}\nlight:{LIGHT}\n")
    tokens.chmod(0o600)
    settings = {"LANG_MAX_CONCURRENCY": "3", "LANG_WARM_CHILDREN": "1", "LANG_RUNTIMES": runtime}
    with (
        running_server(LANG_AUTH_TOKENS_FILE=str(tokens), **settings) as server,
        server.connect() as client,
    ):
        short, spinning = request("return 1", runtime=runtime), request(SPINNING[runtime], runtime=runtime)
        assert client.stub.Execute(short, **by(LIGHT)).output_json == "1"
        flood = [client.stub.ExecuteStream(spinning, **by(HEAVY)) for _ in range(2)]
        assert [next(call).log.text for call in flood] == ["started"] * 2
        queued = client.stub.Execute.future(short, **by(HEAVY))
        for _ in range(3):
            assert client.stub.Execute(short, **by(LIGHT)).output_json == "1"
        assert not queued.done()
        usual = psutil.Process(server.process.pid).nice()
        # One of a flood's tasks is as any other, what is beyond that makes way: every thread of it, and nobody else's.
        found = [niceness(process) for process in server.processes()]
        assert max(map(set, found), key=max) == {usual + 8}
        assert [all(nice == usual for nice in each) for each in found].count(False) == 1
        flood[0].cancel()
        assert queued.result().output_json == "1"
        flood[1].cancel()


def niceness(process):
    """Of each thread (proc_pid_stat(5), field 19)."""
    stats = [path.read_text() for path in Path(f"/proc/{process.pid}/task").glob("*/stat")]
    return [int(stat.rpartition(")")[2].split()[16]) for stat in stats]


def test_where_the_host_refuses_niceness_a_flood_is_executed_all_the_same(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"heavy:{HEAVY}\nlight:{LIGHT}\n")
    tokens.chmod(0o600)
    settings = {"LANG_MAX_CONCURRENCY": "4", "LANG_WARM_CHILDREN": "1", "LANG_RUNTIMES": "python"}
    wrapper = (sys.executable, "-I", str(ROOT / "tests/sandbox/forbidding.py"), str(ROOT), "setpriority")
    with running_server(wrapper, LANG_AUTH_TOKENS_FILE=str(tokens), **settings) as server, server.connect() as client:
        assert client.stub.Execute(request("return 1"), **by(LIGHT)).output_json == "1"
        task = request("import time\ntime.sleep(0.2)\nreturn 2")
        flood = [client.stub.Execute.future(task, **by(HEAVY)) for _ in range(12)]
        assert [call.result().output_json for call in flood] == ["2"] * 12
        server.signal()
        status, _, errors = server.wait()
        assert status == 0, errors
        assert errors.count("its tasks cannot make way: setpriority(2): Operation not permitted. Allow the call") == 1

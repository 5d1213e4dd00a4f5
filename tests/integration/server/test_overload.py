"""Full slots, full queues, deadlines, slow readers."""

from __future__ import annotations

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from langserver.pb import lang_pb2
from tests.integration.server.harness import PATIENCE, running_server, status_of


@pytest.fixture(scope="module")
def narrow_server():
    with running_server(LANG_MAX_CONCURRENCY="1", LANG_MAX_QUEUE="1", LANG_LOG_BYTES="32000000") as server:
        yield server


@pytest.fixture
def narrow(narrow_server):
    with narrow_server.connect() as client:
        yield client
        # What a test left running was cancelled by leaving: the slot comes back.
    with narrow_server.connect() as client:
        assert client.execute("return 1").output_json == "1"


@pytest.mark.parametrize("method", ["execute", "stream", "validate"])
def test_a_full_queue_says_when_to_come_back(narrow, method):
    running = narrow.start_endless()
    waiting = narrow.queue("return 'was queued'")
    with pytest.raises(grpc.RpcError) as refused:
        list(narrow.stream("return 1")) if method == "stream" else getattr(narrow, method)("return 1")
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert refused.value.details().startswith("the queue is full: try again in ")
    (detail,) = rpc_status.from_call(refused.value).details
    retry = error_details_pb2.RetryInfo()
    assert detail.Unpack(retry)
    assert 0 < retry.retry_delay.ToMilliseconds() <= 10_000
    running.cancel()
    response = waiting.result()
    assert response.output_json == '"was queued"'
    assert response.usage.queue_seconds > 0


def test_a_deadline_in_the_queue(narrow):
    running = narrow.start_endless()
    assert status_of(lambda: narrow.execute("return 1", timeout=0.2))[0] is grpc.StatusCode.DEADLINE_EXCEEDED
    waiting = narrow.queue("return 'was queued'")  # there is a place again
    running.cancel()
    assert waiting.result().success


def test_a_cancel_in_the_queue(narrow):
    running = narrow.start_endless()
    narrow.queue("return 'was queued'").cancel()
    waiting = narrow.queue("return 'was queued'")
    running.cancel()
    assert waiting.result().success


@pytest.mark.parametrize("end", ["cancel", "deadline"])
def test_a_caller_who_goes_away_frees_the_slot_at_once(narrow, end):
    call = narrow.stream("print('started')\nwhile True: pass", timeout=1 if end == "deadline" else PATIENCE)
    assert next(call).log.text == "started"
    if end == "cancel":
        call.cancel()
    else:
        assert status_of(lambda: list(call))[0] is grpc.StatusCode.DEADLINE_EXCEEDED
    assert narrow.execute("return 1").output_json == "1"


def test_a_reader_who_does_not_read_slows_nobody(narrow):
    """Far more log bytes than any window holds: the task ends, and its slot is free for another."""
    stalled = narrow.stream("for n in range(4000): print('x' * 7000, n)\nreturn 'all printed'", timeout_seconds=20)
    response = narrow.execute("return 'second'")
    assert response.output_json == '"second"'
    *logs, last = stalled
    assert last.response.output_json == '"all printed"', last.response.error
    assert [int(event.log.text.split()[1]) for event in logs] == list(range(4000))
    assert not last.response.logs


def test_a_reader_who_never_comes_back(narrow):
    narrow.stream("while True: print('x' * 70)", timeout_seconds=1)
    assert narrow.execute("return 1").output_json == "1"


def test_log_lines_come_as_they_are_written(narrow):
    code = "print('first')\nwhile True: pass"
    call = narrow.stream(code)
    assert next(call).log.text == "first"  # while the task still runs
    call.cancel()


def test_logs_before_a_kill_are_there(narrow):
    response = narrow.execute("print('last words')\nwhile True: pass", timeout_seconds=1)
    assert response.error.kind == lang_pb2.ERROR_KIND_TIMEOUT
    assert [line.text for line in response.logs] == ["last words"]

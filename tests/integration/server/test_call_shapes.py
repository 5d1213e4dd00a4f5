"""Calls that are not one request and then their end: each has a status, and the connection serves on."""

from __future__ import annotations

import queue

import grpc
import pytest

from langserver.pb import lang_pb2
from tests.integration.server.harness import request

OK = grpc.StatusCode.OK
INVALID = grpc.StatusCode.INVALID_ARGUMENT
PATIENCE = 30
SOURCE = lang_pb2.InlineCode(code="return 1")
METHODS = {
    "Execute": (request("return 1"), lang_pb2.ExecuteResponse),
    "ExecuteStream": (request("return 1"), lang_pb2.ExecuteEvent),
    "Validate": (lang_pb2.ValidateRequest(runtime="python", inline_code=SOURCE), lang_pb2.ValidateResponse),
    "GetCapabilities": (lang_pb2.GetCapabilitiesRequest(), lang_pb2.Capabilities),
}
each_method = pytest.mark.parametrize("method", METHODS)


def call(client, method, messages, timeout=PATIENCE):
    return client.channel.stream_stream(f"/lang.v1.LanguageServer/{method}")(messages, timeout=timeout)


def end_of(a_call):
    """Its status, and the answers before that."""
    answers = []
    try:
        answers += a_call
    except grpc.RpcError:
        pass
    return a_call.code(), answers


def is_served(client, method):
    message, kind = METHODS[method]
    code, answers = end_of(call(client, method, iter([message.SerializeToString()])))
    return code is OK and all(kind.FromString(answer) for answer in answers) and bool(answers)


@each_method
@pytest.mark.parametrize("second", ["the same", "noise"])
def test_a_second_request_is_not_looked_at(client, method, second):
    first = METHODS[method][0].SerializeToString()
    code, answers = end_of(call(client, method, iter([first, first if second == "the same" else b"\xff"])))
    assert (code, len(answers)) == (OK, 1)


@each_method
def test_a_caller_who_does_not_end_his_side_is_answered(client, method):
    said = queue.Queue()
    said.put(METHODS[method][0].SerializeToString())
    code, answers = end_of(call(client, method, iter(said.get, None)))
    said.put(None)
    assert (code, len(answers)) == (OK, 1)


@each_method
def test_no_request(client, method):
    a_call = call(client, method, iter(()))
    assert end_of(a_call) == (INVALID, [])
    assert a_call.details() == "the call ended without a request"


@each_method
@pytest.mark.parametrize("ending", ["by its deadline", "by its caller"])
def test_a_call_that_ends_before_its_request(client, method, ending):
    said = queue.Queue()
    a_call = call(client, method, iter(said.get, None), timeout=0.2 if ending == "by its deadline" else PATIENCE)
    if ending == "by its caller":
        a_call.cancel()
    code, answers = end_of(a_call)
    said.put(None)
    assert code in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)
    assert not answers
    assert is_served(client, method)

"""Every call, and every status a caller can cause, with the message he reads."""

from __future__ import annotations

import json

import grpc
import pytest
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

import langserver
from langserver.core.jit import JITLESS
from langserver.js_runtime.catalog import MODULES as JS_MODULES
from langserver.pb import lang_pb2
from langserver.python_runtime.catalog import MODULES
from langserver.sandbox.layers import LAYERS
from tests.integration.server.harness import SERVING, request, status_of

INVALID = grpc.StatusCode.INVALID_ARGUMENT
MIB = 1 << 20
ADD = {"python": "def main(a, b):\n    print('adding')\n    return a + b\n",
       "js": "function main({a, b}) { console.log('adding'); return a + b }"}  # fmt: skip
FAIL = {"python": "print('x')\n{}['lost']\n", "js": "console.log('x')\nnull.lost\n"}
both = pytest.mark.parametrize("runtime", ["python", "js"])


@both
def test_a_success(client, runtime):
    response = client.execute(ADD[runtime], runtime=runtime, input_json='{"a": 2, "b": 3}', task_id="t-1")
    assert (response.task_id, response.success, response.output_json) == ("t-1", True, "5")
    assert not response.HasField("error")
    assert [line.text for line in response.logs] == ["adding"]
    usage = response.usage
    assert 0 < usage.run_seconds <= usage.wall_seconds < 60
    assert 0 < usage.cpu_seconds < 60
    assert 0 <= usage.queue_seconds < 60
    assert 0 <= usage.peak_memory_bytes < 128 * MIB


@both
def test_a_failure_is_an_ok_call(client, runtime):
    response = client.execute(FAIL[runtime], runtime=runtime, filename="my step")
    assert (response.success, response.output_json) == (False, "")
    assert response.error.kind == lang_pb2.ERROR_KIND_USER_ERROR
    assert response.error.type == {"python": "KeyError", "js": "TypeError"}[runtime]
    assert response.error.line == 2
    assert "my step" in response.error.traceback
    assert [line.text for line in response.logs] == ["x"]


@both
def test_a_stream_ends_with_the_response(client, runtime):
    *logs, last = client.stream(ADD[runtime], runtime=runtime, input_json='{"a": 2, "b": 3}', task_id="s")
    assert [event.log.text for event in logs] == ["adding"]
    assert (last.response.task_id, last.response.output_json, len(last.response.logs)) == ("s", "5", 0)


@both
def test_the_same_id_twice_runs_twice(client, runtime):
    outputs = {client.execute(f"return {n}", runtime=runtime, task_id="same").output_json for n in (1, 2)}
    assert outputs == {"1", "2"}


@both
def test_validate_finds_what_is_wrong(client, runtime):
    response = client.validate("x = (\n", runtime)
    assert not response.ok
    assert response.problems[0].kind == lang_pb2.ERROR_KIND_SYNTAX_ERROR
    assert response.problems[0].line > 0


@both
def test_validate_of_good_code_runs_nothing(client, runtime):
    response = client.validate(
        {"python": "import json, math\nwhile True: pass", "js": "while (true) {}"}[runtime], runtime
    )
    assert (response.ok, len(response.problems)) == (True, 0)
    assert list(response.imports) == {"python": ["json", "math"], "js": []}[runtime]


def test_capabilities(client):
    answer = client.capabilities()
    assert answer.version == langserver.__version__
    runtimes = {runtime.name: runtime for runtime in answer.runtimes}
    assert list(runtimes["python"].modules) == list(MODULES)
    assert list(runtimes["js"].modules) == list(JS_MODULES)
    assert runtimes["js"].version.count(".") >= 2
    assert (runtimes["js"].profile, runtimes["python"].profile) == (JITLESS, "")
    layers = {layer.name: layer for layer in answer.layers}
    assert list(layers) == list(LAYERS)
    assert all(layers[name].active for name in ("policy", "audit", "privileges", "rlimits", "seccomp"))
    assert all(layer.detail for layer in layers.values())
    assert (answer.max_limits.memory_mb, answer.max_limits.cpu_seconds) == (128, 300)
    assert answer.max_concurrency >= 2


@pytest.mark.parametrize("service", ["", "python", "js"])
def test_health(client, service):
    assert client.health(service) == SERVING


def test_health_of_what_is_not_there(client):
    assert status_of(lambda: client.health("ruby"))[0] is grpc.StatusCode.NOT_FOUND


def test_reflection_behind_its_flag(client):
    stub = reflection_pb2_grpc.ServerReflectionStub(client.channel)
    (answer,) = stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")]))
    names = [service.name for service in answer.list_services_response.service]
    assert "lang.v1.LanguageServer" in names
    assert "grpc.health.v1.Health" in names


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"code": ""}, "there is no code: inline_code.code is empty"),
        ({"runtime": "ruby"}, "unknown runtime 'ruby': expected one of javascript, js, node, python"),
        ({"runtime": ""}, "unknown runtime '': expected one of javascript, js, node, python"),
        ({"timezone": "Mars/Olympus"}, "unknown timezone 'Mars/Olympus': expected an IANA name like Europe/Berlin"),
        ({"timeout_seconds": -1}, "timeout_seconds is -1: a limit is 0 (the default) or more"),
        ({"limits": {"memory_mb": -1}}, "memory_mb is -1: a limit is 0 (the default) or more"),
        ({"limits": {"log_bytes": -7}}, "log_bytes is -7: a limit is 0 (the default) or more"),
        ({"code": "#" * 5_000_000}, "the code has 5000000 bytes, the limit is 1048576 (LANG_CODE_BYTES)"),
        ({"input_json": "1" * 20_000_000}, "input_json has 20000000 bytes, the limit is 16777216 (LANG_INPUT_BYTES)"),
    ],
)
@pytest.mark.parametrize("method", ["execute", "stream"])
def test_what_is_wrong_with_a_request(client, method, fields, message):
    def call():
        answer = getattr(client, method)(**{"code": "return 1", **fields})
        return list(answer) if method == "stream" else answer

    assert status_of(call) == (INVALID, message)


@both
@pytest.mark.parametrize(
    "text",
    ["{", "[1,]", "NaN", "'a'", "{}{}", '"\\ud8"', '{"a":1,"a":2', "[" * 201 + "]" * 201, "[" * 100_000,
     "\0", "undefined", "\ufeff{}", "01", '"\x01"', " "],
)  # fmt: skip
def test_an_input_that_is_not_strict_json(client, runtime, text):
    code, message = status_of(lambda: client.execute("return 1", runtime=runtime, input_json=text))
    assert code is INVALID
    assert message.startswith("input_json")


@both
@pytest.mark.parametrize("text", ["[" * 200 + "]" * 200, '{"a": "é\\u00e9"}', "1" * 400, '"' + "x" * MIB + '"', "null"])
def test_inputs_that_are_fine(client, runtime, text):
    response = client.execute("return 1", runtime=runtime, input_json=text)
    assert (response.output_json, response.error.message) == ("1", "")


@both
def test_an_empty_input_is_an_empty_object(client, runtime):
    code = {"python": "return inputs", "js": "function main(inputs) { return inputs }"}[runtime]
    assert json.loads(client.execute(code, runtime=runtime).output_json) == {}


@pytest.mark.parametrize("code", ["# only a comment", "\n\n", " ", "0\n'no docstring: \\ud800'\nNone"])
def test_odd_python_code_is_no_trouble(client, code):
    response = client.execute(code)
    assert (response.success, response.output_json) == (True, "null"), response.error


@both
@pytest.mark.parametrize("code", ["x = a\0b", "(" * 100_000, "[" * 100_000 + "]" * 100_000, "-" * 1_000_000 + "1"])
def test_hostile_source_fails_its_task_only(client, runtime, code):
    response = client.execute(code, runtime=runtime)
    assert response.error.kind == lang_pb2.ERROR_KIND_SYNTAX_ERROR, response
    assert client.execute("return 1", runtime=runtime).output_json == "1"


@pytest.mark.parametrize(
    "method",
    [
        "lang.v1.LanguageServer/Execute",
        "lang.v1.LanguageServer/ExecuteStream",
        "lang.v1.LanguageServer/Validate",
        "grpc.health.v1.Health/Check",
        "grpc.health.v1.Health/Watch",
    ],
)
@pytest.mark.parametrize("data", [b"\x0a\xff", b"\xff", b"\x0a\xff\x0a\x01\xff"], ids=["short", "noise", "both"])
def test_bytes_that_are_no_message(client, method, data):
    call = client.channel.unary_unary(f"/{method}")
    code, message = status_of(lambda: call(data, timeout=10))
    assert (code, message) == (INVALID, "the request is not the protobuf message of this method: is all text UTF-8?")


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"\x0a\x04a\xed\xa0\x80", "ExecuteRequest.task_id"),
        (b'\x1a\x06"\xf0\x9f\x98\x80"\x1a\x04a\xed\xa0\x80', "ExecuteRequest.input_json"),
        (b"\x2a\x08\x0a\x01k\x12\x03a\xff\xff", "ExecuteRequest.MetadataEntry.value"),
        (b"\x52\x05\x0a\x03a\xff\xff", "InlineCode.code"),
    ],
)
def test_a_text_that_is_none_is_named_with_its_place(client, data, field):
    call = client.channel.unary_unary("/lang.v1.LanguageServer/Execute")
    assert status_of(lambda: call(data, timeout=10)) == (INVALID, f"{field} is not UTF-8 at byte 1")


def test_a_message_over_every_cap_is_not_received(client):
    code, message = status_of(lambda: client.execute("return 1", input_json=" " * (60 * MIB)))
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "larger than max" in message


def test_a_compressed_message_is_refused(client):
    code, message = status_of(
        lambda: client.stub.Execute(request("return 1" + " " * 5000), compression=grpc.Compression.Gzip, timeout=10)
    )
    assert code is grpc.StatusCode.UNIMPLEMENTED
    assert "gzip" in message


def test_an_unknown_method(client):
    call = client.channel.unary_unary("/lang.v1.LanguageServer/Destroy")
    assert status_of(lambda: call(b"", timeout=10))[0] is grpc.StatusCode.UNIMPLEMENTED


def test_metadata_over_its_cap(client):
    code, _ = status_of(lambda: client.execute("return 1", metadata=[("x-much", "y" * 40_000)]))
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_output_and_code_near_their_limits(client):
    big = client.execute("return inputs", input_json='"' + "x" * (MIB + MIB // 2) + '"')
    assert len(big.output_json) == MIB + MIB // 2 + 2
    source = "#" * (MIB - 9) + "\nreturn 1"
    assert client.execute(source).output_json == "1"
    over = client.execute("return 'x' * 3_000_000")
    assert over.error.kind == lang_pb2.ERROR_KIND_OUTPUT_LIMIT


def test_time_zone_and_seed(client):
    code = "import datetime, random\nreturn [datetime.datetime.fromtimestamp(0).hour, random.random()]"
    first = json.loads(client.execute(code, timezone="Asia/Tokyo", seed=7).output_json)
    assert first[0] == 9
    assert json.loads(client.execute(code, timezone="UTC", seed=7).output_json) == [0, first[1]]
    assert json.loads(client.execute(code).output_json)[1] != first[1]
    seeded = [client.execute("return Math.random()", runtime="js", seed=-1).output_json for _ in range(2)]
    assert seeded[0] == seeded[1]
    assert client.execute("return Math.random()", runtime="js").output_json != seeded[0]


def test_limits_of_a_request_are_kept(client):
    slow = client.execute("while True: pass", timeout_seconds=1)
    assert slow.error.kind == lang_pb2.ERROR_KIND_TIMEOUT
    hungry = client.execute("x = 'x' * 40_000_000", limits={"memory_mb": 16})
    assert hungry.error.kind == lang_pb2.ERROR_KIND_MEMORY_LIMIT
    chatty = client.execute("for n in range(100): print('x' * 76)", limits={"log_bytes": 1000})
    assert (len(chatty.logs), chatty.logs_truncated) == (10, True)


def test_a_server_with_the_other_runtime_only():
    from tests.integration.server.harness import running_server

    with running_server(LANG_RUNTIMES="js") as server, server.connect() as client:
        assert status_of(lambda: client.execute("return 1")) == (INVALID, "this server does not run python: it runs js")
        assert client.execute("return 1", runtime="node").output_json == "1"

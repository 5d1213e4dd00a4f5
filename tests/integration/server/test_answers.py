"""From outcomes to messages and statuses, faults of ours among them."""

from __future__ import annotations

import grpc
import pytest
from grpc_health.v1 import health_pb2

from langserver.core.claims import Failure, Report
from langserver.core.outcome import ErrorKind
from langserver.core.verdict import Refusal, Verdict
from langserver.limits import Ceilings
from langserver.pb import lang_pb2, lang_pb2_grpc
from langserver.server.convert import execute_response, log_line, validate_response
from langserver.server.endpoint import add_services, keys_of, make_server, server_options
from langserver.server.gate import Gate
from langserver.server.health import Health
from langserver.server.methods import services
from langserver.server.outbox import Outbox
from langserver.server.service import LanguageService
from langserver.server.statuses import Refused
from langserver.server.tasks import Finished, Tasks
from langserver.settings import Settings
from langserver.zygote.job import LogLine, Outcome, Usage
from tests.integration.server.harness import request


def finished(verdict, **more):
    return Finished(Outcome(verdict, **more), 0.25)


def test_a_success_with_everything():
    usage = Usage(1.5, 1.0, 4096, 0.125, 0.5)
    response = execute_response(
        "t",
        finished(
            Verdict(report=Report('"é"'.encode())),
            logs_truncated=True,
            usage=usage,
        ),
        [log_line(LogLine("stderr", "x", 0.5))],
    )
    assert response == lang_pb2.ExecuteResponse(
        task_id="t",
        success=True,
        output_json='"é"',
        logs=[lang_pb2.LogLine(stream="stderr", text="x", at_seconds=0.5)],
        logs_truncated=True,
        usage=lang_pb2.Usage(
            queue_seconds=0.25,
            wall_seconds=1.5,
            cpu_seconds=1.0,
            peak_memory_bytes=4096,
            compile_seconds=0.125,
            run_seconds=0.5,
        ),
    )


def test_a_failure_with_everything():
    failure = Failure(ErrorKind.POLICY_VIOLATION, "no", "ImportError", "Traceback", 3, 7, "write this")
    response = execute_response("", finished(Verdict(failure=failure, report=Report(b"ignored"))))
    assert (response.success, response.output_json) == (False, "")
    assert response.error == lang_pb2.ExecuteError(
        kind=lang_pb2.ERROR_KIND_POLICY_VIOLATION,
        message="no",
        type="ImportError",
        traceback="Traceback",
        line=3,
        column=7,
        hint="write this",
    )


@pytest.mark.parametrize("kind", ErrorKind)
def test_every_kind_has_its_number(kind):
    response = execute_response("", finished(Verdict(failure=Failure(kind, "x"))))
    assert response.error.kind == kind.value
    assert lang_pb2.ErrorKind.Name(response.error.kind) == f"ERROR_KIND_{kind.name}"


def test_numbers_that_fit_no_field_are_clamped():
    failure = Failure(ErrorKind.USER_ERROR, "x", line=2**40, column=-5)
    response = execute_response("", finished(Verdict(failure=failure), usage=Usage(peak_memory_bytes=2**70)))
    assert (response.error.line, response.error.column) == (2**31 - 1, 0)
    assert response.usage.peak_memory_bytes == 2**63 - 1


@pytest.mark.parametrize("convert", [lambda it: execute_response("", it), validate_response])
@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (Refusal.INVALID_ARGUMENT, grpc.StatusCode.INVALID_ARGUMENT),
        (Refusal.UNAVAILABLE, grpc.StatusCode.UNAVAILABLE),
    ],
)
def test_a_refusal_is_a_status(convert, refusal, code):
    with pytest.raises(Refused, match="why") as refused:
        convert(finished(Verdict(refusal, "why")))
    assert refused.value.code is code


def test_every_refusal_has_a_status():
    for refusal in Refusal:
        assert Refused(refusal, "").code is not grpc.StatusCode.OK


def test_validate_with_problems_and_without():
    problems = tuple(Failure(ErrorKind.POLICY_VIOLATION, str(number), line=number) for number in range(1, 4))
    report = Report(failures=problems, imports=("json",))
    response = validate_response(finished(Verdict(failure=problems[0], report=report)))
    assert (response.ok, [problem.line for problem in response.problems]) == (False, [1, 2, 3])
    assert list(response.imports) == ["json"]
    response = validate_response(finished(Verdict(report=Report(imports=("math",)))))
    assert (response.ok, len(response.problems), list(response.imports)) == (True, 0, ["math"])


def test_validate_that_hit_a_limit_has_one_problem():
    response = validate_response(finished(Verdict(failure=Failure(ErrorKind.TIMEOUT, "too long"))))
    assert (response.ok, [problem.message for problem in response.problems]) == (False, ["too long"])


def test_messages_over_their_own_limits_still_come_in():
    options = dict(server_options(Settings(code_bytes=1 << 20, input_bytes=16 << 20)))
    assert options["grpc.max_receive_message_length"] > 20_971_520
    assert options["grpc.so_reuseport"] == 0
    assert options["grpc.max_concurrent_streams"] > Settings().max_concurrency + Settings().max_queue


@pytest.mark.parametrize("method", ["Execute", "ExecuteStream"])
async def test_a_fault_of_ours_shows_nothing_of_it(method, caplog):
    class BrokenSupply:
        async def take(self, makes_way=False):
            raise RuntimeError("secret detail")

    service = LanguageService(Tasks(Gate(1, 0), {"python": BrokenSupply()}), Ceilings(), lambda: None)
    server = make_server(Settings(), keys_of(Settings()))
    add_services(server, services(service, Health(["python"]), Outbox(1 << 20)), reflection=False)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = getattr(lang_pb2_grpc.LanguageServerStub(channel), method)(request("return 1"), timeout=10)
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await (call.read() if method == "ExecuteStream" else call)
    finally:
        await server.stop(None)
    assert failed.value.code() is grpc.StatusCode.INTERNAL
    assert failed.value.details() == "internal error: the server's log has it"
    assert "secret detail" in caplog.text


async def test_every_method_of_the_contract_is_offered():
    offered = services(LanguageService(Tasks(Gate(1, 0), {}), Ceilings(), lambda: None), Health([]), Outbox(1))
    for file in (lang_pb2.DESCRIPTOR, health_pb2.DESCRIPTOR):
        for service in file.services_by_name.values():
            assert offered[service.full_name].keys() == {method.name for method in service.methods}

"""A language server that answers what a test says: for what a real one cannot be brought to do."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from langserver.pb import lang_pb2 as pb
from langserver.pb import lang_pb2_grpc

Answer = pb.ExecuteResponse | tuple[grpc.StatusCode, str] | Any


def exhausted(seconds: float) -> Any:
    """The queue is full."""
    detail = any_pb2.Any()
    delay = duration_pb2.Duration()
    delay.FromNanoseconds(round(seconds * 1e9))
    detail.Pack(error_details_pb2.RetryInfo(retry_delay=delay))
    code = grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]
    return rpc_status.to_status(status_pb2.Status(code=code, message="the queue is full", details=[detail]))


class FakeLanguageServer(lang_pb2_grpc.LanguageServerServicer, health_pb2_grpc.HealthServicer):
    """Answers in the order of `answers`, then success; with `hold` set, only when that is done."""

    def __init__(self, *answers: Answer, health: bool = True) -> None:
        self.answers = list(answers)
        self.requests: list[pb.ExecuteRequest] = []
        self.calls: list[dict[str, str]] = []
        self.deadlines: list[float] = []
        self.hold: asyncio.Event | None = None
        self.serving = True
        self.cancelled = 0
        self.port = 0
        self._health = health
        self._server: grpc.aio.Server | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        self._server = grpc.aio.server()
        lang_pb2_grpc.add_LanguageServerServicer_to_server(self, self._server)
        if self._health:
            health_pb2_grpc.add_HealthServicer_to_server(self, self._server)
        self.port = self._server.add_insecure_port(f"127.0.0.1:{self.port}")
        await self._server.start()

    async def stop(self) -> None:
        assert self._server is not None
        await self._server.stop(None)

    async def Execute(self, request: pb.ExecuteRequest, context: Any) -> pb.ExecuteResponse:  # noqa: N802 - the contract's name
        self.requests.append(request)
        self.calls.append({key: value for key, value in context.invocation_metadata() if isinstance(value, str)})
        self.deadlines.append(context.time_remaining())
        try:
            if self.hold is not None:
                await self.hold.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        answer = self.answers.pop(0) if self.answers else pb.ExecuteResponse(success=True, output_json="1")
        if isinstance(answer, pb.ExecuteResponse):
            return answer
        if isinstance(answer, tuple):
            await context.abort(*answer)
        await context.abort_with_status(answer)
        raise AssertionError

    async def Check(self, request: Any, context: Any) -> health_pb2.HealthCheckResponse:  # noqa: N802 - the contract's name
        states = health_pb2.HealthCheckResponse
        return states(status=states.SERVING if self.serving else states.NOT_SERVING)

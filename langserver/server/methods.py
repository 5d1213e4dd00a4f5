"""The methods of the server's own services, by the names they have on the wire.

Each is a handler of streams, also where the contract has one request and one answer: on the wire that is the same, and
such a handler runs before a message is received. So our code decides what is read, how much is parsed, and how long an
answer waits for its reader.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias, TypeVar

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2

from langserver.pb import lang_pb2
from langserver.server.call import Call
from langserver.server.health import Health
from langserver.server.intake import Intake, Lanes
from langserver.server.interceptors import quietly
from langserver.server.messages import AnyMessage, parse
from langserver.server.outbox import Outbox
from langserver.server.service import DELIVERY_SECONDS, LanguageService
from langserver.server.statuses import Unread, answering

# Who calls has a token where one is set: he may send large requests, and waits for his turn with them.
_TASK_LANES = Lanes(quick=8, quick_each=8, quick_seconds=0.25, slow=8, slow_seconds=60, patience_seconds=60)
# Who asks for health may be anybody, and says a few bytes.
_HEALTH_LANES = Lanes(quick=16, quick_each=2, quick_seconds=0.1, slow=4, slow_seconds=5, patience_seconds=0)

_Handle: TypeAlias = "Callable[[AnyMessage, Call], Awaitable[None]]"
_Answer = TypeVar("_Answer", bound=Message)
_Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


def services(service: LanguageService, health: Health, outbox: Outbox) -> Mapping[str, Mapping[str, _Handler]]:
    """Every service by its full name, its handlers by the names of its methods."""
    tasks, small = Intake(_TASK_LANES), Intake(_HEALTH_LANES)
    return {
        lang_pb2.DESCRIPTOR.services_by_name["LanguageServer"].full_name: {
            "Execute": _method(lang_pb2.ExecuteRequest, _one(service.Execute), tasks, outbox),
            "ExecuteStream": _method(lang_pb2.ExecuteRequest, service.ExecuteStream, tasks, outbox),
            "Validate": _method(lang_pb2.ValidateRequest, _one(service.Validate), tasks, outbox),
            "GetCapabilities": _method(lang_pb2.GetCapabilitiesRequest, _one(service.GetCapabilities), small, outbox),
        },
        health_pb2.DESCRIPTOR.services_by_name["Health"].full_name: {
            "Check": _method(health_pb2.HealthCheckRequest, health.check, small, outbox),
            "Watch": _method(health_pb2.HealthCheckRequest, health.watch, small, outbox),
        },
    }


def _method(kind: type[AnyMessage], handle: _Handle[AnyMessage], intake: Intake, outbox: Outbox) -> _Handler:
    async def serve(messages: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        call = Call(context, outbox)
        del messages, context  # it is `call` who lets go of them
        async with quietly():
            try:
                async with answering(call):
                    # Nested, so that neither the bytes nor the request is kept here while it is handled.
                    await handle(parse(kind, await intake.take(call.peer, call.read)), call)
            finally:
                call.close()

    return grpc.stream_stream_rpc_method_handler(serve)


def _one(handle: Callable[[AnyMessage, Call], Awaitable[_Answer]]) -> _Handle[AnyMessage]:
    """The handler of a method with one answer."""

    async def answer(request: AnyMessage, call: Call) -> None:
        answering_it = handle(request, call)
        del request  # seventeen megabytes, perhaps, while the task waits and runs
        data = (await answering_it).SerializeToString()
        call.owe(2 * len(data))  # gRPC has a copy of its own
        try:
            async with asyncio.timeout(DELIVERY_SECONDS):
                await call.send(data)
        except TimeoutError:
            raise Unread(DELIVERY_SECONDS) from None

    return answer

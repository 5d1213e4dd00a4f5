"""The methods of the server's own services, by the names they have on the wire.

Each takes a stream of requests, also where the contract has one: on the wire that is the same, and such a handler runs
before a message is received. So our code decides what is read, how much is parsed, and how long an answer waits for its
reader. One answer is given to gRPC to send, which puts it and the status into one packet.
"""

from __future__ import annotations

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
from langserver.server.statuses import Reason, TurnedAway, answering

# Who calls has a token where one is set: he may send large requests, and waits for his turn with them. They take half
# of the room at most, so that one caller's do not keep another's small ones waiting.
_TASK_LANES = Lanes(
    quick=8, quick_each=4, quick_seconds=0.25, slow=8, slow_each=4, slow_seconds=60, patience_seconds=60
)
# Who asks for health may be anybody, and says a few bytes.
_HEALTH_LANES = Lanes(
    quick=16, quick_each=2, quick_seconds=0.1, slow=4, slow_each=4, slow_seconds=5, patience_seconds=0
)

_Answer = TypeVar("_Answer", bound=Message)
_Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


def services(
    service: LanguageService, health: Health, outbox: Outbox, refused: TurnedAway = lambda _reason, _whom: None
) -> Mapping[str, Mapping[str, _Handler]]:
    """Every service by its full name, its handlers by the names of its methods. `refused` is told of calls that were
    turned away.
    """
    tasks, small = Intake(_TASK_LANES), Intake(_HEALTH_LANES)

    def asked_in_vain(_: Reason, whom: str) -> None:  # by anybody: nothing of it is about tasks
        refused(Reason.HEALTH, whom)

    return {
        lang_pb2.DESCRIPTOR.services_by_name["LanguageServer"].full_name: {
            "Execute": _one(lang_pb2.ExecuteRequest, service.Execute, tasks, outbox, refused),
            "ExecuteStream": _many(lang_pb2.ExecuteRequest, service.ExecuteStream, tasks, outbox, refused),
            "Validate": _one(lang_pb2.ValidateRequest, service.Validate, tasks, outbox, refused),
            "GetCapabilities": _one(lang_pb2.GetCapabilitiesRequest, service.GetCapabilities, small, outbox, refused),
        },
        health_pb2.DESCRIPTOR.services_by_name["Health"].full_name: {
            "Check": _many(health_pb2.HealthCheckRequest, health.check, small, outbox, asked_in_vain),
            "Watch": _many(health_pb2.HealthCheckRequest, health.watch, small, outbox, asked_in_vain),
        },
    }


def _many(
    kind: type[AnyMessage],
    handle: Callable[[AnyMessage, Call], Awaitable[None]],
    intake: Intake,
    outbox: Outbox,
    refused: TurnedAway,
) -> _Handler:
    """A method that writes its answers itself."""

    async def serve(messages: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        call = Call(context, outbox)
        del messages, context  # it is `call` who lets go of them
        async with quietly():
            try:
                async with answering(call, refused):
                    # Nested, so that neither the bytes nor the request is kept here while it is handled.
                    await handle(parse(kind, await intake.take(call.sender, call.read)), call)
            finally:
                call.close()

    return grpc.stream_stream_rpc_method_handler(serve)


def _one(
    kind: type[AnyMessage],
    handle: Callable[[AnyMessage, Call], Awaitable[_Answer]],
    intake: Intake,
    outbox: Outbox,
    refused: TurnedAway,
) -> _Handler:
    """A method that returns its one answer."""

    async def serve(messages: Any, context: grpc.aio.ServicerContext[Any, Any]) -> bytes | None:
        call = Call(context, outbox)
        del messages, context
        data: bytes | None = None  # of a call that ends with a status
        async with quietly():
            try:
                async with answering(call, refused):
                    answer = await handle(parse(kind, await intake.take(call.sender, call.read)), call)
                    data = answer.SerializeToString()
                    call.leave(2 * len(data), DELIVERY_SECONDS)  # gRPC has a copy of its own
            finally:
                call.close()
        return data

    return grpc.stream_unary_rpc_method_handler(serve)

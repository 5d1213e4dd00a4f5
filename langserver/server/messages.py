"""Requests that are no messages: without this gRPC answers them UNKNOWN, as if the server had failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1 import health_pb2

from langserver.pb import lang_pb2
from langserver.server.interceptors import Continuation, Handler
from langserver.server.statuses import Context

# Health too: it needs no token, so noise sent there must not fill the log either.
_SERVICES: Final = tuple(
    f"/{service.full_name}/"
    for service in (
        lang_pb2.DESCRIPTOR.services_by_name["LanguageServer"],
        health_pb2.DESCRIPTOR.services_by_name["Health"],
    )
)
_UNREADABLE: Final = object()


class MessageInterceptor(grpc.aio.ServerInterceptor):
    """Answers INVALID_ARGUMENT to what is not the protobuf message of its method (text that is not UTF-8, say)."""

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """Wraps the handlers of the services that are always there."""
        handler = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith(_SERVICES):
            return handler
        read = _reader(handler.request_deserializer)
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(_checked(handler.unary_unary), read, handler.response_serializer)
        return grpc.unary_stream_rpc_method_handler(_checked(handler.unary_stream), read, handler.response_serializer)


def _reader(deserialize: Callable[[bytes], Any] | None) -> Callable[[bytes], Any]:
    assert deserialize is not None  # generated code always has one

    def read(data: bytes) -> Any:
        try:
            return deserialize(data)
        except DecodeError:
            return _UNREADABLE

    return read


def _checked(handle: Any) -> Any:
    async def checked(request: Any, context: Context) -> Any:
        if request is _UNREADABLE:
            await context.abort(
                grpc.StatusCode.INVALID_ARGUMENT,
                "the request is not the protobuf message of this method: is all text UTF-8?",
            )
        return await handle(request, context)

    return checked

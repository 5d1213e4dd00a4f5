"""Who may call."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import grpc

_HEALTH = "/grpc.health.v1.Health/"
_SCHEME = b"bearer "

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]"


class TokenInterceptor(grpc.aio.ServerInterceptor):
    """Ends every call without the token, whatever its method, before its message is read. Health needs none."""

    def __init__(self, token: bytes) -> None:
        self._token = token
        # A handler of streams is called before any message has been received.
        self._refusal: Handler = grpc.stream_stream_rpc_method_handler(_refuse)

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """Lets the call through, or answers it."""
        if handler_call_details.method.startswith(_HEALTH) or self._has_token(handler_call_details):
            return await continuation(handler_call_details)
        return self._refusal

    def _has_token(self, details: grpc.HandlerCallDetails) -> bool:
        given = [value for key, value in details.invocation_metadata or () if key == "authorization"]
        if len(given) != 1:
            return False
        value = given[0].encode("utf-8", "surrogateescape") if isinstance(given[0], str) else given[0]
        scheme, token = value[: len(_SCHEME)], value[len(_SCHEME) :]
        # Bytes: compare_digest raises for text beyond ASCII.
        return scheme.lower() == _SCHEME and hmac.compare_digest(token, self._token)


@asynccontextmanager
async def quietly() -> AsyncIterator[None]:
    """Ends a handler of streams whose call was aborted inside as if it had returned.

    gRPC knows that the call was aborted and keeps the exception with it. Let out, that would keep all frames it passed,
    with the request in them, and they the call: memory until the garbage collector finds the ring.
    """
    try:
        yield
    except grpc.aio.AbortError as error:
        error.__traceback__ = error.__context__ = error.__cause__ = None


async def _refuse(_: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
    async with quietly():
        await context.abort(
            grpc.StatusCode.UNAUTHENTICATED,
            "this server needs its token, once, as metadata `authorization: Bearer TOKEN`",
        )

"""Who may call."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import grpc

from langserver.server.statuses import Reason, TurnedAway
from operating.access.principal import token_owner
from operating.access.refusals import Refusals
from operating.access.tokens import Tokens

log = logging.getLogger(__name__)

_HEALTH = "/grpc.health.v1.Health/"

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]"


class TokenInterceptor(grpc.aio.ServerInterceptor):
    """Ends every call without a valid token, whatever its method, before its message is read. Health needs none."""

    def __init__(self, tokens: Callable[[], Tokens], refused: TurnedAway = lambda _reason, _whom: None) -> None:
        """`tokens` are asked for at each call, `refused` is told of those without a valid one."""
        self._tokens = tokens
        self._refused = refused
        self._refusals = Refusals()
        # A handler of streams is called before any message has been received.
        self._refusal: Handler = grpc.stream_stream_rpc_method_handler(self._refuse)

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """Lets the call through, or answers it."""
        if not handler_call_details.method.startswith(_HEALTH):
            owner = self._owner(handler_call_details)
            if owner is None:
                return self._refusal
            token_owner.set(owner)
        return await continuation(handler_call_details)

    def _owner(self, details: grpc.HandlerCallDetails) -> str | None:
        given = [value for key, value in details.invocation_metadata or () if key == "authorization"]
        if len(given) != 1:
            return None
        # Bytes: a comparison in constant time refuses text beyond ASCII.
        value = given[0].encode("utf-8", "surrogateescape") if isinstance(given[0], str) else given[0]
        return self._tokens().owner_of(value)

    async def _refuse(self, _: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        self._refused(Reason.UNAUTHENTICATED, context.peer())
        line = self._refusals.refused(context.peer(), time.monotonic())
        if line is not None:
            log.warning(line)
        async with quietly():
            await context.abort(
                grpc.StatusCode.UNAUTHENTICATED,
                "this server needs its token, once, as metadata `authorization: Bearer TOKEN`",
            )


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

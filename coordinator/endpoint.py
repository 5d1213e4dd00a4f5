"""The gRPC server: its bounds, its port, and how our errors are answered."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

import grpc

from coordinator.core.bounds import MESSAGE_BYTES
from coordinator.errors import InvalidRequest, StartError, StoreUnavailable, StreamUnavailable
from coordinator.spans import SpanInterceptor
from operating.access.address import Address
from operating.access.backlog import backlog_options
from operating.access.keys import Keys
from operating.access.principal import token_owner
from operating.access.refusals import Refusals
from operating.access.tokens import Tokens
from operating.telemetry.repeats import Repeats

if TYPE_CHECKING:
    from operating.tracing.tracer import Tracing

log = logging.getLogger(__name__)

_CALLS: Final = 4_096  # at once; beyond it RESOURCE_EXHAUSTED
_STREAMS: Final = 128  # of one connection at once; a call over it waits inside the caller's library
_METADATA_BYTES: Final = 16 << 10
_PING_MS: Final = 10_000
_MIN_CLIENT_PING_MS: Final = 5_000
_STATUSES: Final = (
    (InvalidRequest, grpc.StatusCode.INVALID_ARGUMENT),
    (StreamUnavailable, grpc.StatusCode.UNAVAILABLE),
)


def make_server(keys: Keys, stranger_refused: Callable[[], None], tracing: Tracing | None = None) -> grpc.aio.Server:
    """A server with its token check, without port and services. `stranger_refused` is told of calls without a token."""
    return grpc.aio.server(
        interceptors=[
            *([_TokenCheck(keys.tokens, stranger_refused)] if keys.asks_for_token else []),
            *([SpanInterceptor(tracing)] if tracing is not None else []),
            _Errors(),
        ],
        maximum_concurrent_rpcs=_CALLS,
        compression=grpc.Compression.NoCompression,
        options=[  # grpc/impl/channel_arg_names.h
            ("grpc.max_receive_message_length", MESSAGE_BYTES),
            ("grpc.max_send_message_length", -1),
            *backlog_options(_STREAMS),
            ("grpc.max_metadata_size", _METADATA_BYTES),
            ("grpc.absolute_max_metadata_size", _METADATA_BYTES),
            # Bit 0, identity, alone: a message is never larger than what came over the wire.
            ("grpc.compression_enabled_algorithms_bitset", 1),
            # Two coordinators on one port would share its callers between them, silently.
            ("grpc.so_reuseport", 0),
            ("grpc.keepalive_time_ms", _PING_MS),
            ("grpc.keepalive_timeout_ms", _PING_MS),
            ("grpc.http2.min_ping_interval_without_data_ms", _MIN_CLIENT_PING_MS),
            ("grpc.keepalive_permit_without_calls", 1),
        ],
    )


def bind(server: grpc.aio.Server, address: Address, credentials: grpc.ServerCredentials | None) -> Address:
    """Takes the port; returns the address with the number that port 0 became. Raises StartError."""
    try:
        if credentials is None:
            return Address(address.host, server.add_insecure_port(str(address)))
        return Address(address.host, server.add_secure_port(str(address), credentials))
    except RuntimeError:
        raise StartError(
            f"can't listen on {address}: in use, not this machine's, or not allowed (COORDINATOR_LISTEN_ADDR, --listen)"
        ) from None


class _TokenCheck(grpc.aio.ServerInterceptor):  # type: ignore[misc, type-arg, unused-ignore]
    """Ends every call without a valid token, whatever its method, before its message is read."""

    def __init__(self, tokens: Callable[[], Tokens], stranger_refused: Callable[[], None]) -> None:
        """`tokens` are asked for at each call."""
        self._stranger_refused = stranger_refused
        self._tokens = tokens
        self._refusals = Refusals()
        # A handler of streams is called before any message has been received.
        self._refusal: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(self._refuse)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        given = [value for key, value in handler_call_details.invocation_metadata or () if key == "authorization"]
        owner = self._tokens().owner_of(_bytes(given[0])) if len(given) == 1 else None
        if owner is None:
            return self._refusal
        token_owner.set(owner)
        return await continuation(handler_call_details)

    async def _refuse(self, _: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        self._stranger_refused()
        line = self._refusals.refused(context.peer(), time.monotonic())
        if line is not None:
            log.warning(line)
        await context.abort(
            grpc.StatusCode.UNAUTHENTICATED,
            "this coordinator needs its token, once, as metadata `authorization: Bearer TOKEN`",
        )


def _bytes(value: str | bytes) -> bytes:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


class _Errors(grpc.aio.ServerInterceptor):  # type: ignore[misc, type-arg, unused-ignore]
    """Answers our errors with their status; what else goes wrong is logged, and told to nobody."""

    def __init__(self) -> None:
        self._repeats = Repeats()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        if handler.response_streaming:
            return handler._replace(unary_stream=self._guarded_stream(handler.unary_stream))
        return handler._replace(unary_unary=self._guarded(handler.unary_unary))

    def _guarded(self, method: Callable[[Any, Any], Awaitable[Any]]) -> Callable[[Any, Any], Awaitable[Any]]:
        async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            try:
                return await method(request, context)
            except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets an answer
                await self._abort(context, error)

        return call

    def _guarded_stream(
        self, method: Callable[[Any, Any], AsyncIterator[Any]]
    ) -> Callable[[Any, Any], AsyncIterator[Any]]:
        async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
            try:
                async for answer in method(request, context):
                    yield answer
            except Exception as error:  # noqa: BLE001
                await self._abort(context, error)

        return call

    async def _abort(self, context: grpc.aio.ServicerContext[Any, Any], error: Exception) -> None:
        if isinstance(error, StoreUnavailable):  # its words have the database's address and user
            if self._repeats.say(str(error), time.monotonic()) is not None:
                log.warning("calls are answered UNAVAILABLE: %s", error)
            await context.abort(
                grpc.StatusCode.UNAVAILABLE, "the coordinator's database is away or full: its log says why"
            )
        for kind, status in _STATUSES:
            if isinstance(error, kind):
                await context.abort(status, str(error))
        log.error("a call failed", exc_info=error)
        await context.abort(grpc.StatusCode.INTERNAL, "the coordinator failed: its log says why")

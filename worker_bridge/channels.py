"""gRPC channels to a coordinator and to language servers: how they connect again, and notice a peer that is frozen."""

from __future__ import annotations

from typing import Final

import grpc

from operating.access.caller import Caller
from worker_bridge.errors import StartError

_PING_MILLISECONDS: Final = 10_000
# A result and its logs, where an operator has raised a language server's ceilings.
_MAX_RECEIVE_BYTES: Final = 64 << 20

_OPTIONS: Final = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 5_000),
    ("grpc.keepalive_time_ms", _PING_MILLISECONDS),
    ("grpc.keepalive_timeout_ms", _PING_MILLISECONDS),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", _MAX_RECEIVE_BYTES),
    ("grpc.enable_retries", 0),  # what is tried again, and when, is decided here
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
)

_FAULTS: Final = frozenset(
    {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNIMPLEMENTED}
)


def open_channel(address: str, caller: Caller) -> grpc.aio.Channel:
    """A channel to `HOST:PORT` or `unix:PATH`. Connects when it is used; the peer need not be there.

    Raises StartError where the caller's token would be seen on the way.
    """
    try:
        credentials = caller.channel_to(address)
    except ValueError as error:
        raise StartError(str(error)) from None
    if credentials is None:
        return grpc.aio.insecure_channel(address, options=_OPTIONS)
    return grpc.aio.secure_channel(address, credentials, options=_OPTIONS)


def words(error: grpc.aio.AioRpcError, caller: Caller) -> str:
    """Status and message in one short line, and what to check."""
    line = f"{error.code().name}: {' '.join((error.details() or '').split())[:300]}"
    advised = caller.advice(error.code(), error.details()).text
    return f"{line} ({advised})" if advised else line


def is_fault(error: grpc.aio.AioRpcError, caller: Caller) -> bool:
    """Whether an operator has to mend it: no retry of ours does."""
    return error.code() in _FAULTS or caller.advice(error.code(), error.details()).sure

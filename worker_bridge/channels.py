"""gRPC channels to a coordinator and to language servers: how they connect again, and notice a peer that is frozen."""

from __future__ import annotations

from typing import Final

import grpc

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

# What an operator has to mend: no retry of ours does.
FAULTS: Final = frozenset(
    {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNIMPLEMENTED}
)


def open_channel(address: str) -> grpc.aio.Channel:
    """A channel to `HOST:PORT` or `unix:PATH`. Connects when it is used; the peer need not be there."""
    return grpc.aio.insecure_channel(address, options=_OPTIONS)


def words(error: grpc.aio.AioRpcError) -> str:
    """Status and message in one short line."""
    return f"{error.code().name}: {' '.join((error.details() or '').split())[:300]}"

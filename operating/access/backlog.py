"""Calls that have come and that nobody has looked at yet: how many may wait before gRPC refuses some by itself.

gRPC's core puts a call into one queue for all until the program asks for the next. From 1,000 on it refuses at random,
from 3,000 on always (grpc/impl/channel_arg_names.h, src/core/server/server.cc), and after 30 s in any case. It knows no
token then, and its refusal reaches the caller as `CANCELLED`: a neighbour's flood would end the calls of others.
"""

from __future__ import annotations

from typing import Final

# So many may have all their calls in the queue at once. Each call there costs some 16 KiB, and up to 64 KiB of its
# message: more would let strangers have more memory than the tasks' inputs have.
_FULL_CONNECTIONS: Final = 32
_WAIT_SECONDS: Final = 3_600  # longer than any caller waits: his own deadline ends his call


def backlog_options(streams: int) -> list[tuple[str, int]]:
    """gRPC's channel arguments for a server that allows so many `streams` on a connection.

    Below the bound nothing is refused; at it the latest is.
    """
    most = _FULL_CONNECTIONS * streams
    return [
        ("grpc.max_concurrent_streams", streams),
        ("grpc.server.max_pending_requests", most),
        ("grpc.server.max_pending_requests_hard_limit", most),
        ("grpc.server_max_unrequested_time_in_server", _WAIT_SECONDS),
    ]

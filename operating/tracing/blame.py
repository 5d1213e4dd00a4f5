"""Whose fault a status is."""

from __future__ import annotations

from typing import Final

import grpc

# Of a server's spans, an error is what the server is to blame for (OpenTelemetry's conventions for gRPC).
SERVERS_FAULTS: Final = frozenset(
    {
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    }
)

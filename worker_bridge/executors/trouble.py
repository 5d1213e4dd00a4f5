"""What a gRPC status other than OK from a language server means. The only table of it."""

from __future__ import annotations

from enum import Enum

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from operating.access.caller import Caller
from worker_bridge.channels import is_fault


class Trouble(Enum):
    """Whose matter it is."""

    ELSEWHERE = "the server's: try another, or this one later; nothing of the task's"
    FAULT = "an operator's: as ELSEWHERE, and an alarm"
    REFUSED = "the request's: no server will take it"
    DOUBTFUL = "perhaps the task's: not tried without end"


# For which an execution is tried again.
TROUBLES = tuple(trouble.name.lower() for trouble in Trouble if trouble is not Trouble.REFUSED)
_REFUSED = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.OUT_OF_RANGE,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.NOT_FOUND,
    }
)


def trouble_of(error: grpc.aio.AioRpcError, caller: Caller) -> tuple[Trouble, float]:
    """Whose matter it is, and how many seconds the server itself asks to wait (0: it does not say)."""
    code = error.code()
    if is_fault(error, caller):
        return Trouble.FAULT, 0.0
    # CANCELLED: gRPC's core at a server refuses so when more calls have come than it looks at, and no task has begun.
    # Had the bridge itself cancelled, there would be no error of gRPC's.
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        return Trouble.ELSEWHERE, 0.0
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        delay = _retry_seconds(error)
        return (Trouble.REFUSED, 0.0) if delay is None else (Trouble.ELSEWHERE, delay)
    return (Trouble.REFUSED if code in _REFUSED else Trouble.DOUBTFUL), 0.0


def _retry_seconds(error: grpc.aio.AioRpcError) -> float | None:
    """None: without RetryInfo, a message that is too large for one side."""
    try:
        status = rpc_status.from_call(error)
    except ValueError:  # its details do not fit its status: not a server of ours
        return None
    for detail in status.details if status else ():
        info = error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            return float(max(0.0, info.retry_delay.ToNanoseconds() / 1e9))
    return None

"""The only table from what went wrong with a call to its gRPC status."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import Enum
from typing import Any, Final, NoReturn, TypeAlias

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from langserver.core.verdict import Refusal
from langserver.errors import RequestError
from langserver.server.call import Call
from langserver.server.gate import Draining, Expired, Full
from langserver.server.intake import Crowded, Unsent

log = logging.getLogger(__name__)

_CODES = {
    Refusal.INVALID_ARGUMENT: grpc.StatusCode.INVALID_ARGUMENT,
    Refusal.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
}


class Reason(Enum):
    """Why a call was turned away before anything was executed."""

    INVALID = "invalid"
    UNAUTHENTICATED = "unauthenticated"
    QUEUE_FULL = "queue_full"
    DRAINING = "draining"
    DEADLINE = "deadline"  # it passed in the queue
    TOO_SLOW = "too_slow"  # its message did not come, or too many came slowly
    HEALTH = "health"  # questions about health that did not come, or too many watchers: they take no token


# Why, and whom.
TurnedAway: TypeAlias = "Callable[[Reason, str], None]"


class Refused(Exception):
    """An execution that ended as a status: the verdict's refusal and its message."""

    def __init__(self, refusal: Refusal, message: str) -> None:
        super().__init__(message)
        self.code = _CODES[refusal]


class Unread(Exception):
    """There was an answer, and the caller did not read it."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the answer was not read within {seconds} s")


class NotFound(Exception):
    """There is nothing of that name."""


class TooMany(Exception):
    """So many others do the same that there is no room; trying again soon is no use."""


_TURNED_AWAY: Final[dict[type[Exception], Reason]] = {
    RequestError: Reason.INVALID,
    Draining: Reason.DRAINING,
    Expired: Reason.DEADLINE,
    Unsent: Reason.TOO_SLOW,
    Crowded: Reason.TOO_SLOW,
    TooMany: Reason.HEALTH,
    Full: Reason.QUEUE_FULL,
}


@asynccontextmanager
async def answering(call: Call, refused: TurnedAway) -> AsyncIterator[None]:
    """Ends the call with the status of whatever is raised inside; a fault of ours shows no more than that it is one.

    `refused` is told of what was turned away, and whose it was: his principal, or without one his address.
    """
    try:
        yield
    except Refused as error:
        await call.abort(error.code, str(error))
    except Unread as error:
        await call.abort(grpc.StatusCode.DEADLINE_EXCEEDED, str(error))
    except NotFound as error:
        await call.abort(grpc.StatusCode.NOT_FOUND, str(error))
    except tuple(_TURNED_AWAY) as error:
        refused(_TURNED_AWAY[type(error)], call.sender)
        await _turn_away(call, error)
    except (asyncio.CancelledError, grpc.aio.AbortError, grpc.aio.InternalError):
        raise  # the last one: the caller went away while a message was written to him
    except Exception:
        log.exception("a call failed")
        await call.abort(grpc.StatusCode.INTERNAL, "internal error: the server's log has it")


async def _turn_away(call: Call, why: Exception) -> NoReturn:
    match why:
        case Draining():
            await call.abort(grpc.StatusCode.UNAVAILABLE, "draining: the server takes no new tasks")
        case Expired():
            await call.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "the deadline passed before there was a free slot")
        case Unsent():
            await call.abort(grpc.StatusCode.DEADLINE_EXCEEDED, str(why))
        case TooMany():
            await call.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(why))
        case Full(retry_seconds=seconds):
            await call.abort_with_status(_exhausted("the queue is full", seconds))
        case Crowded(retry_seconds=seconds):
            await call.abort_with_status(_exhausted("too many requests arrive slowly", seconds))
    await call.abort(grpc.StatusCode.INVALID_ARGUMENT, str(why))


def _exhausted(why: str, retry_seconds: float) -> Any:
    delay = duration_pb2.Duration()
    delay.FromNanoseconds(round(retry_seconds * 1e9))
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.RetryInfo(retry_delay=delay))
    return rpc_status.to_status(
        status_pb2.Status(
            code=grpc.StatusCode.RESOURCE_EXHAUSTED.value[0],
            message=f"{why}: try again in {retry_seconds:.2f} s",
            details=[detail],
        )
    )

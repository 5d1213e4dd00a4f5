"""The only table from what went wrong with a call to its gRPC status."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

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


@asynccontextmanager
async def answering(call: Call) -> AsyncIterator[None]:
    """Ends the call with the status of whatever is raised inside; a fault of ours shows no more than that it is one."""
    try:
        yield
    except RequestError as error:
        await call.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
    except Refused as error:
        await call.abort(error.code, str(error))
    except Draining:
        await call.abort(grpc.StatusCode.UNAVAILABLE, "draining: the server takes no new tasks")
    except Expired:
        await call.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "the deadline passed before there was a free slot")
    except (Unread, Unsent) as error:
        await call.abort(grpc.StatusCode.DEADLINE_EXCEEDED, str(error))
    except NotFound as error:
        await call.abort(grpc.StatusCode.NOT_FOUND, str(error))
    except TooMany as error:
        await call.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
    except Full as full:
        await call.abort_with_status(_exhausted("the queue is full", full.retry_seconds))
    except Crowded as crowded:
        await call.abort_with_status(_exhausted("too many requests arrive slowly", crowded.retry_seconds))
    except (asyncio.CancelledError, grpc.aio.AbortError, grpc.aio.InternalError):
        raise  # the last one: the caller went away while a message was written to him
    except Exception:
        log.exception("a call failed")
        await call.abort(grpc.StatusCode.INTERNAL, "internal error: the server's log has it")


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

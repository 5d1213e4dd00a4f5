"""The command line's end of the coordinator."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import grpc
from google.protobuf.message import Message

from coordinator.commands.exits import Unreachable, UsageError
from coordinator.core.bounds import MESSAGE_BYTES
from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc as pb_grpc
from operating.access.address import parse_tcp_address
from operating.access.caller import Caller, CallerFiles

_DEFAULT_ADDR: Final = "localhost:50051"
_CALL_SECONDS: Final = 30.0
_LONG_CALL_SECONDS: Final = 300.0  # those that grow with the number of tasks
_PATIENCE_SECONDS: Final = 5.0  # with a coordinator that is just being restarted
_PAUSE_SECONDS: Final = 0.2
_FEW: Final = 10_000  # ids in one request

Answer = TypeVar("Answer")


@contextmanager
def connected(addr: str | None) -> Iterator[Client]:
    """A client of the coordinator at `addr`, else COORDINATOR_ADDR, with the keys of the environment.

    Raises UsageError.
    """
    address = addr or os.environ.get("COORDINATOR_ADDR") or _DEFAULT_ADDR
    try:
        parse_tcp_address(address)
    except ValueError as error:
        raise UsageError(f"{address}: {error} (--addr, COORDINATOR_ADDR)") from None
    options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", MESSAGE_BYTES)]
    try:
        caller = Caller(_keys(), time.monotonic)
        credentials = caller.channel_to(address)
    except ValueError as error:
        raise UsageError(str(error)) from None
    channel = (
        grpc.insecure_channel(address, options=options)
        if credentials is None
        else grpc.secure_channel(address, credentials, options=options)
    )
    with channel:
        yield Client(address, pb_grpc.CoordinatorStub(channel), caller)


def _keys() -> CallerFiles:
    """From COORDINATOR_TLS_CA and its like."""

    def file(name: str) -> Path | None:
        text = os.environ.get(f"COORDINATOR_{name}")
        return Path(text) if text else None

    token = os.environ.get("COORDINATOR_TOKEN")
    return CallerFiles(
        "COORDINATOR",
        ca=file("TLS_CA"),
        cert=file("CLIENT_CERT"),
        key=file("CLIENT_KEY"),
        token=token.encode("utf-8", "surrogateescape") if token else None,
        token_file=file("TOKEN_FILE"),
    )


class Client:
    """Each call raises Unreachable, and UsageError for what the coordinator refuses."""

    def __init__(self, address: str, stub: pb_grpc.CoordinatorStub, caller: Caller) -> None:
        self._address = address
        self._stub = stub
        self._caller = caller

    def submit(self, tasks: Sequence[pb.NewTask]) -> None:
        """To be given tasks with ids: it is done again where an answer was lost."""
        self._asked(self._stub.SubmitTasks, pb.SubmitTasksRequest(tasks=tasks), _CALL_SECONDS)

    def tasks(self, run_id: str, task_ids: Sequence[str] = ()) -> list[pb.Task]:
        """The tasks of a run, all or these."""
        found: list[pb.Task] = []
        for start in range(0, max(len(task_ids), 1), _FEW):
            request = pb.ListTasksRequest(run_id=run_id, task_ids=task_ids[start : start + _FEW])
            found += self._asked(self._listed, request, _LONG_CALL_SECONDS)
        return found

    def counts(self, run_id: str) -> pb.TaskCounts:
        """Of a run, or of all."""
        return self._asked(self._stub.CountTasks, pb.CountTasksRequest(run_id=run_id), _CALL_SECONDS)

    def cancel(self, run_id: str, task_ids: Sequence[str]) -> pb.TaskCounts:
        """How many tasks it ended, by the state that they were in."""
        request = pb.CancelTasksRequest(run_id=run_id, task_ids=task_ids)
        return self._asked(self._stub.CancelTasks, request, _LONG_CALL_SECONDS)

    def dead_letters(self, queue: str) -> pb.ListDeadLettersResponse:
        """Of a queue, or of all."""
        return self._asked(self._stub.ListDeadLetters, pb.ListDeadLettersRequest(queue=queue), _CALL_SECONDS)

    def requeue(self, queue: str, letters: Sequence[str]) -> pb.RequeueDeadLettersResponse:
        """What became of each letter."""
        request = pb.RequeueDeadLettersRequest(queue=queue, letters=letters)
        return self._asked(self._stub.RequeueDeadLetters, request, _LONG_CALL_SECONDS)

    def drop(self, queue: str, letters: Sequence[str], older_than: int | None) -> pb.DropDeadLettersResponse:
        """What is gone by this call."""
        request = pb.DropDeadLettersRequest(queue=queue, letters=letters, older_than_seconds=older_than)
        return self._asked(self._stub.DropDeadLetters, request, _LONG_CALL_SECONDS)

    def _listed(self, request: pb.ListTasksRequest, **options: Any) -> list[pb.Task]:
        """A stream can fail until its end."""
        return list(self._stub.ListTasks(request, **options))

    def _asked(self, method: Callable[..., Answer], request: Message, seconds: float) -> Answer:
        """Every request here may be made twice."""
        until = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                return method(request, timeout=seconds, metadata=self._caller.metadata())
            except grpc.RpcError as error:
                code: grpc.StatusCode = error.code()
                if code is grpc.StatusCode.INVALID_ARGUMENT:
                    raise UsageError(str(error.details())) from None
                advice = self._caller.advice(code, error.details())
                if advice.sure or code is not grpc.StatusCode.UNAVAILABLE or time.monotonic() >= until:
                    said = f"{code.name}: {error.details()}{f' ({advice.text})' if advice.text else ''}"
                    raise Unreachable(f"no answer from {self._address} (--addr, COORDINATOR_ADDR): {said}") from None
            time.sleep(_PAUSE_SECONDS)

"""A proxy between bridges and coordinator: writes down what was granted and accepted, and loses some replies."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, Self

import grpc

from coordinator.pb.coordinator_pb2 import (
    AcquireTaskLeaseRequest,
    AcquireTaskLeaseResponse,
    ReportTaskResultRequest,
    ReportTaskResultResponse,
)
from coordinator.pb.coordinator_pb2_grpc import (
    WorkflowServiceServicer,
    WorkflowServiceStub,
    add_WorkflowServiceServicer_to_server,
)

TaskKey = tuple[str, str]


class Witness(WorkflowServiceServicer):
    """Serves on a free port of loopback. One reply in `one_in` is lost after the coordinator gave it."""

    def __init__(self, coordinator: str, one_in: int, seed: int) -> None:
        self._coordinator, self._one_in, self._random = coordinator, one_in, Random(seed)
        self._fences: dict[TaskKey, int] = {}
        self.accepted: Counter[tuple[TaskKey, int]] = Counter()  # by task and attempt
        self.accepted_of_lost_leases: list[str] = []
        self.fences_that_did_not_grow: list[str] = []
        self.refused: Counter[int] = Counter()  # reports that changed nothing
        self.lost = 0
        self.calm = False

    async def __aenter__(self) -> Self:
        # The coordinator is killed often: a channel of ours must not be what waits.
        options = [("grpc.max_reconnect_backoff_ms", 200), ("grpc.initial_reconnect_backoff_ms", 100)]
        self._channel = grpc.aio.insecure_channel(self._coordinator, options=options)
        self._stub = WorkflowServiceStub(self._channel)
        self._server = grpc.aio.server()
        add_WorkflowServiceServicer_to_server(self, self._server)  # type: ignore[no-untyped-call]
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop(0)
        await self._channel.close()

    async def AcquireTaskLease(self, request: AcquireTaskLeaseRequest, context: Any) -> AcquireTaskLeaseResponse:  # noqa: N802
        def seen(response: AcquireTaskLeaseResponse) -> None:
            if response.acquired:
                key = (request.run_id, request.task_id)
                # Two grants may pass each other on the way here: of two the higher fence is the later.
                if response.fence == self._fences.get(key, 0):
                    self.fences_that_did_not_grow.append(f"{key}: {response.fence}")
                self._fences[key] = max(response.fence, self._fences.get(key, 0))

        return await self._through(self._stub.AcquireTaskLease, request, context, seen)

    async def RenewTaskLease(self, request: AcquireTaskLeaseRequest, context: Any) -> AcquireTaskLeaseResponse:  # noqa: N802
        return await self._through(self._stub.RenewTaskLease, request, context, lambda _: None)

    async def ReportTaskResult(self, request: ReportTaskResultRequest, context: Any) -> ReportTaskResultResponse:  # noqa: N802
        key = (request.run_id, request.task_id)
        newest = self._fences.get(key, 0)  # before the call: a grant after it says nothing about this report

        def seen(response: ReportTaskResultResponse) -> None:
            if not response.accepted:
                self.refused[int(response.acknowledged)] += 1
                return
            self.accepted[key, request.attempt] += 1
            if request.fence < newest:
                self.accepted_of_lost_leases.append(f"{key}: fence {request.fence}, granted since: {newest}")

        return await self._through(self._stub.ReportTaskResult, request, context, seen)

    async def _through(
        self,
        call: Callable[..., Awaitable[Any]],
        request: object,
        context: Any,
        seen: Callable[[Any], None],
    ) -> Any:
        async def finish() -> Any:
            response = await call(request, timeout=context.time_remaining())
            seen(response)
            return response

        # What the coordinator did is written down even when the bridge that asked is gone by then.
        going = asyncio.ensure_future(finish())
        try:
            response = await asyncio.shield(going)
        except grpc.aio.AioRpcError as error:
            await context.abort(error.code(), error.details())
        if not self.calm and self._random.randrange(self._one_in) == 0:
            self.lost += 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the reply was lost")
        return response

"""The spans of a coordinator: one for each call that a task's way goes through."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

import grpc

from coordinator.core.bounds import TASKS_A_REQUEST
from coordinator.pb import coordinator_pb2 as pb
from operating.traceparent import parse_traceparent
from operating.tracing.blame import SERVERS_FAULTS

if TYPE_CHECKING:
    from operating.tracing.tracer import Span, Tracing

# Renewals are not among them: they say nothing new, several times a task.
_METHODS: Final = frozenset(
    {
        "/workflow.v1.Coordinator/SubmitTasks",
        "/workflow.v1.WorkflowService/AcquireTaskLease",
        "/workflow.v1.WorkflowService/ReportTaskResult",
    }
)


class SpanInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[misc, type-arg, unused-ignore]
    """Makes them, around whatever answers errors with a status. Tasks that are submitted without a place get ours."""

    def __init__(self, tracing: Tracing) -> None:
        self._tracing = tracing

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        handler = await continuation(handler_call_details)
        method = str(handler_call_details.method)
        if handler is None or method not in _METHODS:
            return handler
        return handler._replace(unary_unary=self._spanned(method.removeprefix("/"), handler.unary_unary))

    def _spanned(
        self, method: str, answer: Callable[[Any, Any], Awaitable[Any]]
    ) -> Callable[[Any, Any], Awaitable[Any]]:
        async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            parent = place_of_caller(context) or _place_of_tasks(request)
            told = {"rpc.system.name": "grpc", "rpc.method": method, **_told(request)}
            span = self._tracing.begin(method, parent, "server", told)
            status = grpc.StatusCode.CANCELLED  # if nothing else comes of it
            try:
                _place(request, span)
                response = await answer(request, context)
                status = grpc.StatusCode.OK
                span.tell(_answered(response))
                return response
            except grpc.aio.AbortError:
                status = _aborted_with(context)
                raise
            finally:
                span.tell({"rpc.response.status_code": status.name})
                if status in SERVERS_FAULTS:
                    span.fail(status.name)
                span.end()

        return call


def place_of_caller(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """The `traceparent` that he sends; empty where it is none."""
    given = next((str(value) for key, value in context.invocation_metadata() or () if key == "traceparent"), "")
    return given if parse_traceparent(given) else ""


def _place_of_tasks(request: Any) -> str:
    """The place that all tasks of a submission name, if it is one."""
    if not isinstance(request, pb.SubmitTasksRequest) or len(request.tasks) > TASKS_A_REQUEST:  # which is refused
        return ""
    places = {task.traceparent for task in request.tasks}
    return places.pop() if len(places) == 1 else ""


def _place(request: Any, span: Span) -> None:
    if isinstance(request, pb.SubmitTasksRequest) and len(request.tasks) <= TASKS_A_REQUEST:
        for task in request.tasks:
            if parse_traceparent(task.traceparent) is None:
                task.traceparent = span.traceparent


def _told(request: Any) -> dict[str, str | int]:
    match request:
        case pb.SubmitTasksRequest():
            named = _of_new(request.tasks[0]) if len(request.tasks) == 1 else {}
            return {"langserver.tasks": len(request.tasks), **named}
        case pb.ReportTaskResultRequest():
            return {**_named(request), "langserver.status": request.status, "langserver.attempt": request.attempt}
        case _:
            return {**_named(request), "langserver.attempt": request.attempt}


def _of_new(task: pb.NewTask) -> dict[str, str | int]:
    return {**_named(task), "langserver.node_type": task.node_type}


def _named(task: Any) -> dict[str, str | int]:
    names = {"langserver.task_id": task.task_id, "langserver.run_id": task.run_id}
    return {**names, "langserver.node_id": getattr(task, "node_id", "")}


def _answered(response: Any) -> dict[str, str | int]:
    match response:
        case pb.AcquireTaskLeaseResponse(acquired=False):
            return {"langserver.lease": pb.LeaseReason.Name(response.reason).removeprefix("LEASE_REASON_").lower()}
        case pb.AcquireTaskLeaseResponse():
            return {"langserver.lease": "acquired"}
        case pb.ReportTaskResultResponse():
            return {"langserver.accepted": str(response.accepted).lower()}
        case _:
            return {}


def _aborted_with(context: grpc.aio.ServicerContext[Any, Any]) -> grpc.StatusCode:
    code: Any = context.code()
    return next((status for status in grpc.StatusCode if code in (status, status.value[0])), grpc.StatusCode.UNKNOWN)

"""The calls of proto/lang.proto."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from langserver.core.fairness import Whose
from langserver.core.forms import FormCache, Shelf
from langserver.limits import VALIDATE_SECONDS, Ceilings
from langserver.pb import lang_pb2
from langserver.server.call import Call
from langserver.server.convert import check_of, execute_response, log_line, task_of, validate_response
from langserver.server.principal import whose
from langserver.server.shelves import shelf_of
from langserver.server.spans import ExecuteSpan, Spans
from langserver.server.statuses import Unread
from langserver.server.tasks import Finished, Tasks
from langserver.server.telemetry.ended import Origin
from langserver.zygote.job import Job, LogLine
from langserver.zygote.request import make_job

DELIVERY_SECONDS = 30
_CHARACTERS = 128  # of what is kept for a log line, perhaps for long


class LanguageService:
    """Translates between callers and `Tasks`. `capabilities` is asked at each call; `forms` is None: none are
    kept; `spans` is None: none are made.

    What its methods raise becomes the status of the call (langserver.server.statuses).
    """

    def __init__(
        self,
        tasks: Tasks,
        ceilings: Ceilings,
        capabilities: Callable[[], lang_pb2.Capabilities],
        forms: FormCache | None = None,
        spans: Spans | None = None,
    ) -> None:
        self._tasks = tasks
        self._ceilings = ceilings
        self._capabilities = capabilities
        self._forms = forms
        self._spans = spans

    async def Execute(  # noqa: N802 - the proto's name, as the others
        self, request: lang_pb2.ExecuteRequest, call: Call
    ) -> lang_pb2.ExecuteResponse:
        """One task."""
        span = self._span("Execute", request, call)
        job = make_job(task_of(request), self._ceilings, "run")
        caller, origin = whose(call.principal, request.metadata), _origin(request, call)
        shelf = self._shelf(caller, job)
        task_id = request.task_id
        del request  # the job has all that is needed; the task may wait long
        lines: list[lang_pb2.LogLine] = []
        # Made as they come: ten thousand at once would hold every other call up.
        finished = await self._tasks.run(
            job, caller, _deadline(call), lambda line: lines.append(log_line(line)), shelf, origin=origin
        )
        if span is not None:
            span.finished = finished
        return execute_response(task_id, finished, lines)

    async def ExecuteStream(  # noqa: N802
        self, request: lang_pb2.ExecuteRequest, call: Call
    ) -> None:
        """One task, its log lines as they come.

        Written with `Call.write`, not yielded: a generator would not be told when its caller goes away.
        """
        span = self._span("ExecuteStream", request, call)
        job = make_job(task_of(request), self._ceilings, "run")
        caller, origin = whose(call.principal, request.metadata), _origin(request, call)
        shelf = self._shelf(caller, job)
        task_id = request.task_id
        del request
        # No bound of its own: it holds at most what the task's log budget allows, and so never slows the task down.
        lines: asyncio.Queue[LogLine | None] = asyncio.Queue()
        running = asyncio.create_task(
            self._tasks.run(job, caller, _deadline(call), lines.put_nowait, shelf, origin=origin)
        )
        running.add_done_callback(_look_at)
        try:
            async with asyncio.timeout(None) as patience:

                def finish(ended: asyncio.Task[Finished]) -> None:
                    lines.put_nowait(None)
                    # The slot is free again: a reader who does not read must not hold memory without one. Who was
                    # turned away is owed a status only, and takes no room from those who have an answer.
                    if not ended.cancelled() and ended.exception() is None:
                        call.owe(2 * (self._ceilings.output_bytes + self._ceilings.log_bytes))  # gRPC has a copy
                    patience.reschedule(asyncio.get_running_loop().time() + DELIVERY_SECONDS)

                running.add_done_callback(finish)
                try:
                    while (line := await lines.get()) is not None:
                        await call.write(lang_pb2.ExecuteEvent(log=log_line(line)))
                    finished = await running
                    if span is not None:
                        span.finished = finished
                    response = execute_response(task_id, finished)
                    await call.write(lang_pb2.ExecuteEvent(response=response))
                finally:
                    running.remove_done_callback(finish)  # it may end later, when there is no patience to change
        except TimeoutError:
            raise Unread(DELIVERY_SECONDS) from None
        finally:
            running.cancel()

    async def Validate(  # noqa: N802
        self, request: lang_pb2.ValidateRequest, call: Call
    ) -> lang_pb2.ValidateResponse:
        """All that is wrong with some code."""
        job = make_job(check_of(request, VALIDATE_SECONDS), self._ceilings, "validate")
        origin = Origin(traceparent=call.traceparent()[:_CHARACTERS], principal=call.principal)
        return validate_response(
            await self._tasks.run(job, Whose(call.principal), _deadline(call), _ignore, origin=origin)
        )

    async def GetCapabilities(  # noqa: N802
        self,
        request: lang_pb2.GetCapabilitiesRequest,  # noqa: ARG002 - it says nothing
        call: Call,  # noqa: ARG002 - nor does who asks matter
    ) -> lang_pb2.Capabilities:
        """What this server offers."""
        return self._capabilities()

    def _span(self, method: str, request: lang_pb2.ExecuteRequest, call: Call) -> ExecuteSpan | None:
        if self._spans is None:
            return None
        span = self._spans.begin(method, request, call)
        call.at_end(lambda: span.end(call.status))
        return span

    def _shelf(self, caller: Whose, job: Job) -> Shelf | None:
        return None if self._forms is None else shelf_of(self._forms, caller, job)


def _origin(request: lang_pb2.ExecuteRequest, call: Call) -> Origin:
    said = request.metadata
    traceparent = call.traceparent() or said.get("traceparent", "")
    return Origin(request.task_id, said.get("run_id", "")[:_CHARACTERS], traceparent[:_CHARACTERS], call.principal)


def _deadline(call: Call) -> float | None:
    remaining = call.time_remaining()
    return None if remaining is None else asyncio.get_running_loop().time() + remaining


def _look_at(task: asyncio.Task[Finished]) -> None:
    """Should the caller be gone, nobody else looks at how it ended."""
    if not task.cancelled():
        task.exception()


def _ignore(_: LogLine) -> None:
    """An Execute's log lines are in its outcome."""

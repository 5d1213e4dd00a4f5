"""Tasks of a language runtime: their code goes to a language server."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

import grpc

from langserver.pb import lang_pb2 as pb
from operating.access.caller import Caller
from worker_bridge.channels import words
from worker_bridge.core.envelope import Task
from worker_bridge.core.outcome import Outcome
from worker_bridge.core.timings import GRACE_SECONDS
from worker_bridge.executors.answers import fault_of, outcome_of
from worker_bridge.executors.program import BadProgram, Program, parse_program
from worker_bridge.executors.servers import Server, Servers
from worker_bridge.executors.trouble import Trouble, trouble_of
from worker_bridge.spans import Spans

log = logging.getLogger(__name__)

_EXECUTE: Final = f"{pb.DESCRIPTOR.services_by_name['LanguageServer'].full_name}/Execute"
_DOUBTFUL_TRIES: Final = 3


class LanguageExecutor:
    """One runtime on several servers. While none of them takes a task it waits: until it is cancelled."""

    def __init__(
        self,
        runtime: str,
        addresses: Sequence[str],
        alarm: Callable[[str], None],
        caller: Caller,
        spans: Spans,
        *,
        failed: Callable[[str, str], None] = lambda _runtime, _trouble: None,
    ) -> None:
        """`failed` is told of each execution that is tried again. Raises StartError."""
        self._failed = failed
        self._runtime = runtime
        self._caller = caller
        self._servers = Servers(runtime, addresses, alarm, caller)
        self._alarm = alarm
        self._spans = spans

    async def start(self) -> None:
        """See Executor."""
        await self._servers.start()

    async def usable(self) -> None:
        """See Executor."""
        await self._servers.usable()

    async def execute(self, task: Task, seconds: int) -> Outcome:
        """See Executor. `seconds` are one execution's: a server that dies in it, or is full, costs the task none."""
        try:
            program = parse_program(task.input)
        except BadProgram as error:
            return Outcome.failed("INVALID_ARGUMENT", str(error), terminal=True)
        request = self._request(task, program, seconds - GRACE_SECONDS)
        doubts = 0
        while True:
            server = await self._servers.take()
            try:
                with self._spans.call(_EXECUTE, server.address, task.traceparent) as placed:
                    response = await server.stub.Execute(
                        request,
                        timeout=request.timeout_seconds + GRACE_SECONDS,
                        metadata=placed + self._caller.metadata(),
                    )
            except grpc.aio.AioRpcError as error:
                trouble, asked = trouble_of(error, self._caller)
                text = f"{self._runtime} at {server.address}: {words(error, self._caller)}"
                if trouble is Trouble.REFUSED:
                    server.answered()
                    return Outcome.failed(error.code().name, error.details() or "", terminal=True)
            else:
                if (fault := fault_of(response, task.task_id)) is None:
                    server.answered()
                    return outcome_of(response, program.filename)
                trouble, asked, text = Trouble.DOUBTFUL, 0.0, f"{self._runtime} at {server.address}: {fault}"
            finally:
                self._servers.release(server)
            doubts += trouble is Trouble.DOUBTFUL
            if doubts == _DOUBTFUL_TRIES:
                return Outcome.failed("INTERNAL", text, terminal=False)
            self._avoid(server, trouble, asked, text)

    async def close(self) -> None:
        """See Executor."""
        await self._servers.close()

    def well(self) -> int:
        """How many servers answer."""
        return self._servers.well

    def _avoid(self, server: Server, trouble: Trouble, asked_seconds: float, text: str) -> None:
        server.rest(asked_seconds)
        self._failed(self._runtime, trouble.name.lower())
        if trouble is Trouble.FAULT:
            self._alarm(text)
        else:
            log.info("%s; it is tried again", text)

    def _request(self, task: Task, program: Program, most_seconds: int) -> pb.ExecuteRequest:
        return pb.ExecuteRequest(
            task_id=task.task_id,
            runtime=self._runtime,
            input_json=program.input_json,
            timeout_seconds=min(program.timeout_seconds or most_seconds, most_seconds),
            metadata={
                "from": "worker",
                "run_id": task.run_id,
                "node_id": task.node_id,
                "attempt": str(task.attempt),
            },
            limits=pb.Limits(**program.limits),
            timezone=program.timezone,
            seed=program.seed,
            inline_code=pb.InlineCode(code=program.code, filename=program.filename),
        )

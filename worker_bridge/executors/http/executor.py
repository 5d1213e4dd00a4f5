"""Tasks of the node type `http`: one request each, with the redirects and waits that its answers ask for."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from worker_bridge.core.envelope import Task
from worker_bridge.core.outcome import Outcome
from worker_bridge.executors.egress.policy import Policy
from worker_bridge.executors.egress.refusal import Reason, Refused
from worker_bridge.executors.http.answer import output_of
from worker_bridge.executors.http.connection import Head
from worker_bridge.executors.http.dialing import Dialer, Resolve, Resolver, trust
from worker_bridge.executors.http.exchange import Answer, exchange
from worker_bridge.executors.http.failure import EXCERPT_BYTES, Failure, Kind, excerpt
from worker_bridge.executors.http.pool import Pool
from worker_bridge.executors.http.redirects import MAX_REDIRECTS, leads_elsewhere, redirected
from worker_bridge.executors.http.request import Asked, Request, parse_request
from worker_bridge.executors.http.retry_after import MAX_WAITS, asked_to_wait
from worker_bridge.executors.http.telemetry import Telemetry

# Statuses below 500 that may be another one tomorrow.
_PASSING: Final = frozenset({408, 425, 429})
_SHORT_BYTES: Final = 64 << 10  # read in the event loop; what is longer would keep it from other tasks
_REASON_BYTES: Final = 64


class HttpExecutor:
    """All http tasks of a bridge. `resolve` and `tls` are the system's unless given.

    `refused` is told which task the policy forbade something.
    """

    def __init__(
        self,
        policy: Policy,
        telemetry: Telemetry,
        resolve: Resolve | None = None,
        tls: ssl.SSLContext | None = None,
        *,
        refused: Callable[[Task, Reason], None] = lambda _task, _reason: None,
    ) -> None:
        self._policy = policy
        self._telemetry = telemetry
        self._refused = refused
        dialer = Dialer(policy, resolve or Resolver().resolve, tls or trust())
        self._pool = Pool(dialer.dial)

    async def start(self) -> None:
        """See Executor: connections are made when there is something to send."""

    async def usable(self) -> None:
        """See Executor: always."""

    async def execute(self, task: Task, seconds: int) -> Outcome:
        """See Executor."""
        try:
            asked = parse_request(task.input, task.task_id)
            allowed = min(seconds, asked.timeout_seconds or seconds)
            async with asyncio.timeout(allowed):
                output = await self._output(asked, task.traceparent, time.monotonic() + allowed)
        except Refused as refused:
            self._telemetry.http_refused(refused.reason)
            self._refused(task, refused.reason)
            return Outcome.failed(Kind.EGRESS_REFUSED, str(refused), terminal=True)
        except Failure as failure:
            return Outcome.failed(failure.kind, failure.text, terminal=failure.terminal)
        except TimeoutError:
            once = not asked.request.may_be_done_twice
            return Outcome.failed(Kind.TIMEOUT, f"no whole response within {allowed:g} s", terminal=once)
        return Outcome(completed=True, output=output)

    async def close(self) -> None:
        """See Executor."""
        self._pool.close()

    async def _output(self, asked: Asked, traceparent: str, until: float) -> bytes:
        request, redirects, waits = asked.request, 0, 0
        while True:
            self._policy.admit(request.target)
            answer = await self._exchange(asked, self._traced(request, traceparent))
            head = answer.head
            if leads_elsewhere(head) and asked.follows(head.status):
                redirects += 1
                if redirects > MAX_REDIRECTS:
                    raise Failure(Kind.TOO_MANY_REDIRECTS, f"redirected more than {MAX_REDIRECTS} times")
                request = redirected(request, head)
            elif asked.expects(head.status):
                return await _normalised(answer)
            else:
                wait = asked_to_wait(head.status, head.values(b"retry-after"), datetime.now(UTC))
                if wait is None or waits == MAX_WAITS or time.monotonic() + wait >= until:
                    raise _status(answer)
                waits += 1
                await asyncio.sleep(wait)

    async def _exchange(self, asked: Asked, request: Request) -> Answer:
        begun = time.monotonic()

        def wanted(head: Head) -> bool:
            return asked.expects(head.status) and not (leads_elsewhere(head) and asked.follows(head.status))

        answer = await exchange(self._pool, request, wanted)
        self._telemetry.http_answered(answer.host, answer.head.status, time.monotonic() - begun)
        return answer

    def _traced(self, request: Request, traceparent: str) -> Request:
        """The trace goes on at hosts that the operator listed, and nobody else hears of it."""
        if not traceparent or not self._policy.lists(request.target):
            return request
        return replace(request, headers={"traceparent": traceparent, **request.headers})


async def _normalised(answer: Answer) -> bytes:
    types = answer.head.values(b"content-type")
    content_type = types[0] if len(types) == 1 else b""
    if len(answer.body) <= _SHORT_BYTES:
        return output_of(answer.body, content_type)
    return await asyncio.to_thread(output_of, answer.body, content_type)


def _status(answer: Answer) -> Failure:
    status = answer.head.status
    text = f"{status} {excerpt(answer.head.reason, _REASON_BYTES)}".strip()
    if answer.body:
        text += f": {excerpt(answer.body, EXCERPT_BYTES)}"
    return Failure(Kind.HTTP_STATUS, text, terminal=400 <= status < 500 and status not in _PASSING)

"""A caller of a language server: one task over and over, in several rhythms."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import grpc

from bench.measure import NotAvailable
from langserver.pb import lang_pb2, lang_pb2_grpc

T = TypeVar("T")

_WARM_UP_CALLS = 20
_TIMEOUT_SECONDS = 60
_UNBOUNDED = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))


@dataclass(frozen=True, slots=True)
class Task:
    """What to call with, and the output that it must have; None: any."""

    runtime: str
    code: str
    input_json: str = "{}"
    expected: str | None = None

    def request(self) -> lang_pb2.ExecuteRequest:
        """As a message."""
        return lang_pb2.ExecuteRequest(
            runtime=self.runtime,
            input_json=self.input_json,
            inline_code=lang_pb2.InlineCode(code=self.code),
            timeout_seconds=_TIMEOUT_SECONDS,
        )


@dataclass(frozen=True, slots=True)
class Taken:
    """One call: its nanoseconds, when it was answered (perf_counter_ns), and what the server says of it."""

    ns: int
    at_ns: int
    usage: lang_pb2.Usage


class Refused(NotAvailable):
    """The server had no place for a call."""

    def __init__(self) -> None:
        super().__init__("a call was refused: the server's queue is full")


class Caller:
    """One connection to one server, with a token where that asks for one. `async with` it."""

    def __init__(self, address: str, token: str = "") -> None:
        self._channel = grpc.aio.insecure_channel(address, options=_UNBOUNDED)
        self._stub = lang_pb2_grpc.LanguageServerStub(self._channel)
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._channel.close()

    async def once(self, task: Task, since_ns: int | None = None) -> Taken:
        """One call; its time counts from `since_ns` (perf_counter_ns), else from now. Raises NotAvailable."""
        request = task.request()
        started = time.perf_counter_ns() if since_ns is None else since_ns
        try:
            response = await self._stub.Execute(request, timeout=_TIMEOUT_SECONDS, metadata=self._metadata)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise Refused from None
            raise NotAvailable(f"a {task.runtime} call ended as {error.code().name}: {error.details()}") from None
        ended = time.perf_counter_ns()
        if not response.success or task.expected not in (None, response.output_json):
            raise NotAvailable(f"a {task.runtime} task failed: {response.error.message or response.output_json[:80]}")
        return Taken(ended - started, ended, response.usage)

    async def one_at_a_time(
        self, task: Task, count: int, pause_seconds: float = 0.0, warm_up: int = _WARM_UP_CALLS
    ) -> list[Taken]:
        """`count` calls, each so long after the answer to the one before. Raises NotAvailable."""
        taken = []
        for number in range(-min(warm_up, count), count):
            if pause_seconds:
                await asyncio.sleep(pause_seconds)
            one = await self.once(task)
            if number >= 0:
                taken.append(one)
        return taken

    async def for_a_while(self, make: Callable[[], Task], count: int, seconds: float) -> list[Taken]:
        """At most `count` calls, and none begun after so many seconds, but two at least. Raises NotAvailable.

        The first warms up and is not counted, unless it alone takes longer.
        """
        until = time.perf_counter_ns() + round(seconds * 1e9)
        first = await self.once(make())
        taken = [first] if first.at_ns > until else []
        while len(taken) < count and (len(taken) < 2 or time.perf_counter_ns() < until):
            taken.append(await self.once(make()))
        return taken

    async def at_rate(self, task: Task, per_second: float, seconds: float) -> list[Taken]:
        """Calls that come at random moments, so many a second on average, whether others are answered or not.

        A call's time counts from the moment at which it should have come, so that a busy caller hides no wait.
        Raises NotAvailable.
        """
        await self.one_at_a_time(task, _WARM_UP_CALLS)
        began = time.perf_counter_ns()

        async def call_at(moment: float) -> Taken:
            due = began + round(moment * 1e9)
            await asyncio.sleep((due - time.perf_counter_ns()) / 1e9)
            return await self.once(task, due)

        return await _all(call_at(moment) for moment in arrivals(per_second, seconds))

    async def saturate(self, task: Task, callers: int, seconds: float) -> list[Taken]:
        """So many callers, each of whom calls again as soon as it is answered, for so long. Raises NotAvailable."""
        await self.one_at_a_time(task, _WARM_UP_CALLS)
        until = time.perf_counter_ns() + round(seconds * 1e9)

        async def call_on() -> list[Taken]:
            taken = []
            while time.perf_counter_ns() < until:
                taken.append(await self.once(task))
            return taken

        return [one for taken in await _all(call_on() for _ in range(callers)) for one in taken]


def arrivals(per_second: float, seconds: float) -> Sequence[float]:
    """Seconds from a start, ascending: the same ones every time, with exponential gaps. One at least."""
    chance = random.Random(50)  # noqa: S311 -- a rhythm, no secret
    moments = [chance.expovariate(per_second)]
    while moments[-1] < seconds:
        moments.append(moments[-1] + chance.expovariate(per_second))
    return moments


async def _all(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Runs them side by side; what one of them raises ends all, and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]

"""ExecuteStream when its caller goes away: whatever moment it is, nothing is complained of afterwards."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from langserver.limits import Ceilings
from langserver.pb import lang_pb2
from langserver.server.gate import Draining
from langserver.server.service import LanguageService
from langserver.zygote.job import LogLine
from tests.integration.server.test_tasks import Bench, settle

REQUEST = lang_pb2.ExecuteRequest(runtime="js", inline_code=lang_pb2.InlineCode(code="1"))


class Caller:
    """A context that takes what is written, or does not while `reads` is clear."""

    def __init__(self) -> None:
        self.reads = asyncio.Event()
        self.reads.set()
        self.got: list[str] = []
        self.owed = 0

    def time_remaining(self) -> None:
        return None

    def traceparent(self) -> str:
        return ""

    principal = ""

    def owe(self, size: int) -> None:
        self.owed += size

    async def write(self, event: lang_pb2.ExecuteEvent) -> None:
        self.got.append(event.WhichOneof("event") or "")
        await self.reads.wait()


class SlowToEnd:
    """Tasks of which one ends a while after it was cancelled."""

    def __init__(self) -> None:
        self.begun, self.may_end = asyncio.Event(), asyncio.Event()

    async def run(self, _job: Any, _whose: Any, _deadline: Any, on_log: Any, _shelf: Any, *, origin: Any) -> Any:
        on_log(LogLine("stdout", "one", 0.0))
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await self.may_end.wait()


@pytest.fixture(autouse=True)
async def _nothing_is_complained_of() -> Any:
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    yield
    await settle()
    assert faults == []


async def test_the_task_ends_after_its_caller_has_gone() -> None:
    tasks, caller = SlowToEnd(), Caller()
    service = LanguageService(tasks, Ceilings(), lang_pb2.Capabilities)  # type: ignore[arg-type]
    call = asyncio.create_task(service.ExecuteStream(REQUEST, caller))  # type: ignore[arg-type]
    await tasks.begun.wait()
    await settle()
    assert caller.got == ["log"]
    call.cancel()
    await asyncio.wait([call], timeout=5)
    assert call.cancelled()
    tasks.may_end.set()
    await settle()


async def test_the_caller_goes_while_the_response_is_written() -> None:
    bench, caller = Bench(), Caller()
    service = LanguageService(bench.tasks, Ceilings(), lang_pb2.Capabilities)
    caller.reads.clear()
    call = asyncio.create_task(service.ExecuteStream(REQUEST, caller))  # type: ignore[arg-type]
    bench.supply.allowed.set()
    await bench.supply.asked.wait()
    bench.child.seal_and_start()
    bench.child.report()
    await settle()
    await bench.ended()
    await settle()
    assert caller.got == ["response"]
    assert caller.owed
    call.cancel()
    await asyncio.wait([call], timeout=5)
    assert call.cancelled()


async def test_who_is_turned_away_is_owed_no_answer() -> None:
    """A drain turns all away who wait, at once: together they must not take the room of answers that are there."""

    class Away:
        async def run(self, *_: Any, **__: Any) -> Any:
            raise Draining

    caller = Caller()
    service = LanguageService(Away(), Ceilings(), lang_pb2.Capabilities)  # type: ignore[arg-type]
    with pytest.raises(Draining):
        await service.ExecuteStream(REQUEST, caller)  # type: ignore[arg-type]
    assert caller.owed == 0

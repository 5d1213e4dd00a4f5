"""One call: raw bytes come in, messages go out, and it ends whether its caller reads or not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NoReturn

import grpc
from google.protobuf.message import Message

from langserver.server.outbox import Outbox
from langserver.server.reset import call_task
from operating.access.principal import principal_of


class Call:
    """What a handler has of its caller. Made in the task that handles the call."""

    def __init__(self, context: grpc.aio.ServicerContext[Any, Any], outbox: Outbox) -> None:
        self._context = context
        self._outbox = outbox
        self._handler = asyncio.current_task()
        self._call_task = call_task()
        self._is_writing = False
        self._is_left = False
        self._at_end: Callable[[], None] | None = None
        self.status: grpc.StatusCode | None = None  # that it was ended with, by us
        self.principal = principal_of(context)
        # Of a caller who is not known one connection, by address and port, stands for him.
        self.sender = self.principal or context.peer()

    async def read(self) -> bytes | None:
        """The next message; None when there is none."""
        data = await self._context.read()
        return None if data is grpc.aio.EOF else data

    async def write(self, message: Message) -> None:
        """Returns when gRPC has sent it, which waits for the caller to read what came before."""
        await self.send(message.SerializeToString())

    async def send(self, data: bytes) -> None:
        """The same with a message's bytes, for those who keep no more of it."""
        self._is_writing = True
        await self._context.write(data)
        self._is_writing = False  # cancelled, it is still on its way

    def leave(self, size: int, seconds: float) -> None:
        """The handler returns an answer of `size` bytes, and has nothing to do with it any more: it is owed until gRPC
        has sent it, for so long at most.
        """
        self.owe(size)
        self._is_left = True
        assert self._handler is not None
        timer = asyncio.get_running_loop().call_later(seconds, self.drop)

        def sent(_: object) -> None:
            timer.cancel()
            self._outbox.settle(self.sender, self)

        self._handler.add_done_callback(sent)

    def owe(self, size: int) -> None:
        """Counts `size` bytes of answer that this call keeps without a slot."""
        self._outbox.owe(self.sender, self, size, self.drop)

    def close(self) -> None:
        """The handler is done, and nothing of the call is kept here: exceptions keep frames, and frames this."""
        if not self._is_left:
            self._outbox.settle(self.sender, self)
        if self._at_end is not None:
            self._at_end()
            self._at_end = None
        del self._context

    async def abort(self, code: grpc.StatusCode, details: str) -> NoReturn:
        """Ends the call with a status: raises AbortError. Raises CancelledError where none can reach the caller."""
        self.status = code
        self._reset_if_stuck()
        await self._context.abort(code, details)

    async def abort_with_status(self, status: Any) -> NoReturn:
        """The same, with a status that has details of its own."""
        self.status = status.code
        self._reset_if_stuck()
        await self._context.abort_with_status(status)
        raise AssertionError  # it never returns; typeshed does not say so

    def time_remaining(self) -> float | None:
        """Seconds until the caller's deadline; None without one."""
        remaining: float | None = self._context.time_remaining()  # typeshed leaves out the call without a deadline
        return remaining

    def traceparent(self) -> str:
        """Where the caller's span is, by his word, whatever it is; of several gRPC shows one."""
        return next(
            (str(value) for key, value in self._context.invocation_metadata() or () if key == "traceparent"), ""
        )

    def at_end(self, act: Callable[[], None]) -> None:
        """Has `act` called when the handler is done, whatever became of it."""
        self._at_end = act

    def drop(self) -> None:
        """Ends the call without a word, whatever it is at."""
        for task in (self._call_task, self._handler):
            if task is not None:
                task.cancel()

    def _reset_if_stuck(self) -> None:
        if self._is_writing:
            if self._call_task is not None:
                self._call_task.cancel()
            raise asyncio.CancelledError

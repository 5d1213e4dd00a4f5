"""From the outbox to the streams, at least once: a task is QUEUED only after its entry is there."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from coordinator.core.queues import shard_of, stream_of
from coordinator.core.retry import Backoff
from coordinator.core.states import TaskState
from coordinator.errors import StoreUnavailable, StreamRefused, StreamUnavailable
from coordinator.metrics import Metrics
from coordinator.store import outbox
from coordinator.store.database import Database
from coordinator.store.outbox import Dispatched, Due
from coordinator.streams.port import StreamPort

log = logging.getLogger(__name__)

_BATCH: Final = 200
_TOGETHER: Final = 16  # entries on their way at a time
_TOGETHER_BYTES: Final = 16 << 20
# Who claimed rows and did not dispatch them by then is dead, or so slow that another may do it too.
_CLAIM_MS: Final = 10_000
_LONGEST_WAIT_SECONDS: Final = 1.0  # another coordinator's commits wake nobody here


class Dispatcher:
    """Puts the outbox's rows into streams, the longest waiting first."""

    def __init__(self, database: Database, streams: StreamPort, prefix: str, shards: int, metrics: Metrics) -> None:
        self._database = database
        self._metrics = metrics
        self._streams = streams
        self._prefix = prefix
        self._shards = shards
        self._filled = asyncio.Event()
        self._backoff = Backoff()
        self._refused: set[str] = set()  # streams

    def wake(self) -> None:
        """There may be something new in the outbox."""
        self._filled.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            self._filled.clear()
            try:
                if not await self._dispatch_batch():
                    await self._wait(await self._seconds_to_next())
                self._recovered()
            except (StreamUnavailable, StoreUnavailable) as error:
                await asyncio.sleep(self._failed(error))

    async def _dispatch_batch(self) -> bool:
        """Whether there was something to do."""
        due = await self._database.run(lambda tx: outbox.claim(tx, _BATCH, _CLAIM_MS))
        left = list(due)
        try:
            while left:
                chunk = _first(left)
                await self._dispatch(chunk)
                del left[: len(chunk)]
        except BaseException:  # stopped, too: another coordinator need not wait for the claim to end
            with suppress(StoreUnavailable):
                await asyncio.shield(self._database.run(lambda tx: outbox.release(tx, left)))
            raise
        return bool(due)

    async def _dispatch(self, chunk: Sequence[Due]) -> None:
        contents = await self._database.run(lambda tx: outbox.contents(tx, chunk))
        rows = [(due, content) for due, content in zip(chunk, contents, strict=True) if content is not None]
        streams = [self._stream(due) for due, _ in rows]
        answers = await asyncio.gather(
            *(
                self._streams.add(stream, content.entry(due.attempt))
                for stream, (due, content) in zip(streams, rows, strict=True)
            ),
            return_exceptions=True,
        )
        done = [
            Dispatched(due, stream, answer)
            for stream, (due, _), answer in zip(streams, rows, answers, strict=True)
            if isinstance(answer, str)
        ]
        self._metrics.moved(
            TaskState.QUEUED, "dispatched", await self._database.run(lambda tx: outbox.dispatched(tx, done))
        )
        for stream, answer in zip(streams, answers, strict=True):
            if isinstance(answer, StreamRefused):  # its row is tried again when the claim ends; others need not wait
                self._refuses(stream, answer)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                self._refused.discard(stream)

    def _refuses(self, stream: str, why: StreamRefused) -> None:
        """Said once: there may be any number of tasks for it."""
        self._metrics.stream_refused()
        if stream not in self._refused:
            log.error("%s cannot be used, its tasks wait until that is mended: %s", ascii(stream), why)
        self._refused.add(stream)

    def _stream(self, due: Due) -> str:
        return stream_of(self._prefix, due.queue, shard_of(due.run_id, due.task_id, self._shards))

    async def _seconds_to_next(self) -> float:
        wait_ms = await self._database.run(outbox.next_due_ms)
        return _LONGEST_WAIT_SECONDS if wait_ms is None else min(max(wait_ms, 0) / 1000, _LONGEST_WAIT_SECONDS)

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._filled.wait(), seconds)

    def _failed(self, error: Exception) -> float:
        """How long to wait; said once for each time that it went away."""
        self._metrics.put_off("dispatcher")
        if not self._backoff.failures:
            log.warning("tasks are not dispatched: %s", error)
        self._backoff = self._backoff.failed()
        return self._backoff.delay_seconds(random.random())  # noqa: S311 - spreads load, keeps no secret

    def _recovered(self) -> None:
        if self._backoff.failures:
            log.info("tasks are dispatched again")
        self._backoff = Backoff()


def _first(left: Sequence[Due]) -> list[Due]:
    """The rows whose inputs are in memory together."""
    chunk: list[Due] = []
    size = 0
    for due in left[:_TOGETHER]:
        size += due.size
        if chunk and size > _TOGETHER_BYTES:
            break
        chunk.append(due)
    return chunk

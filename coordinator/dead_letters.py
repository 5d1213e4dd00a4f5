"""What an operator does with dead letters. A letter only names a task: what is done comes from the task table."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from coordinator.core.letters import Choice, Letter, read_letter
from coordinator.core.queues import RUNTIMES, dead_stream_of, stream_of
from coordinator.core.states import TaskState
from coordinator.errors import StreamRefused
from coordinator.metrics import Metrics
from coordinator.store import results, tasks
from coordinator.store.database import Database
from coordinator.streams.port import StreamPort

_MOST: Final = 1_000  # of one stream
_PAGE: Final = 4  # entries in memory at a time: whoever writes them chooses how large they are
_BUILT_IN: Final = (*RUNTIMES, "http")


@dataclass(frozen=True, slots=True)
class Requeued:
    """What became of one letter: `refusal` says why its task got no further attempt."""

    letter: Letter
    refusal: str | None


class DeadLetters:
    """The dead-letter streams of this installation's queues."""

    def __init__(self, database: Database, streams: StreamPort, prefix: str, shards: int, metrics: Metrics) -> None:
        self._database = database
        self._metrics = metrics
        self._streams = streams
        self._prefix = prefix
        self._shards = shards

    async def listed(self, queue: str) -> tuple[list[Letter], bool]:
        """The letters of a queue or, without one, of all known queues; and whether there are more."""
        letters: list[Letter] = []
        more = False
        for stream in await self._dead_streams(queue):
            with suppress(StreamRefused):
                found = await self._of_stream(stream)
                letters += found
                more = more or len(found) >= _MOST
        return letters, more

    async def requeue(self, queue: str, names: Collection[str]) -> list[Requeued]:
        """Gives the FAILED tasks that these letters name one more attempt; letters that helped are removed."""
        letters, _ = await self.listed(queue)
        chosen = [letter for letter in letters if not names or letter.name in names]
        done: dict[tuple[str, str], str | None] = {}
        for letter in chosen:  # entries that were parked twice are one
            key = (letter.run_id, letter.task_id)
            if key not in done:
                done[key] = await self._revive(*key)
            if done[key] is None:
                await self._streams.remove(letter.stream, [letter.entry_id])
        return [Requeued(letter, done[letter.run_id, letter.task_id]) for letter in chosen]

    async def drop(self, queue: str, chosen: Choice, now: float) -> list[Letter]:
        """Removes letters of streams of dead letters, and nothing else; `now` in seconds since 1970.

        No task changes by it: what a letter names ends, or is dispatched again, by what the table says.
        """
        letters, _ = await self.listed(queue)
        dropped = chosen.among(letters, now)
        for stream, its in groupby(dropped, key=lambda letter: letter.stream):
            await self._streams.remove(stream, [letter.entry_id for letter in its])
        return dropped

    async def _of_stream(self, stream: str) -> list[Letter]:
        letters: list[Letter] = []
        while len(letters) < _MOST:
            newest = letters[-1].entry_id if letters else ""
            page = await self._streams.oldest(stream, _PAGE, newest)
            letters += [read_letter(stream, entry_id, fields) for entry_id, fields in page]
            if len(page) < _PAGE:
                break
        return letters

    async def _revive(self, run_id: str, task_id: str) -> str | None:
        state = await self._database.run(lambda tx: results.revive(tx, run_id, task_id))
        if state is None:
            return "there is no such task"
        if state is TaskState.FAILED:
            self._metrics.moved(TaskState.PENDING, "requeued")
            return None
        return f"the task is {state.name}"

    async def _dead_streams(self, queue: str) -> list[str]:
        queues = [queue] if queue else [*dict.fromkeys((*_BUILT_IN, *await self._database.run(tasks.queues)))]
        return [
            dead_stream_of(stream_of(self._prefix, name, shard)) for name in queues for shard in range(self._shards)
        ]

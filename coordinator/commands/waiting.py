"""Waits until tasks have ended."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from typing import Final

from coordinator.commands.client import Client
from coordinator.commands.exits import Unreachable
from coordinator.commands.shown import has_ended, state
from coordinator.core.states import TaskState
from coordinator.pb import coordinator_pb2 as pb

_LEAST_PAUSE_SECONDS: Final = 0.1
_MOST_PAUSE_SECONDS: Final = 1.0
_WIDTH: Final = 40

Key = tuple[str, str]  # run, task


class Watch:
    """Tasks that are waited for, and what is known of them."""

    def __init__(self, client: Client, tasks: Iterable[pb.NewTask]) -> None:
        self.keys: list[Key] = [(task.run_id, task.task_id) for task in tasks]
        self.known: dict[Key, pb.Task] = {}
        self._client = client
        self._progress = sys.stderr.isatty()

    def wait(self, seconds: float) -> bool:
        """Whether all of them ended in time. Raises Unreachable when the coordinator was away at the end of it."""
        until = time.monotonic() + seconds
        pause = _LEAST_PAUSE_SECONDS
        try:
            while True:
                begun = time.monotonic()
                left = self._look(until)
                self._show()
                if not left or time.monotonic() >= until:
                    return not left
                # What a look costs grows with the tasks: it is not to be most of what the coordinator does.
                pause = min(pause * 1.5, max(_MOST_PAUSE_SECONDS, 5 * (time.monotonic() - begun)))
                time.sleep(max(0.0, min(pause, until - time.monotonic())))
        finally:
            if self._progress:
                sys.stderr.write("\n")

    def _look(self, until: float) -> int:
        """Asks for what has not ended yet; how many are left."""
        try:
            for run_id, task_ids in self._unfinished().items():
                for task in self._client.tasks(run_id, task_ids):
                    self.known[task.run_id, task.task_id] = task
        except Unreachable:
            if time.monotonic() >= until:
                raise
        return sum(map(len, self._unfinished().values()))

    def _unfinished(self) -> dict[str, Sequence[str]]:
        by_run: dict[str, list[str]] = {}
        for key in dict.fromkeys(self.keys):
            found = self.known.get(key)
            if found is None or not has_ended(found):
                by_run.setdefault(key[0], []).append(key[1])
        return {**by_run}

    def _show(self) -> None:
        if not self._progress:
            return
        whole = len(set(self.keys))
        ended = [task for task in self.known.values() if has_ended(task)]
        failed = sum(state(task) is TaskState.FAILED for task in ended)
        bar = "#" * (_WIDTH * len(ended) // whole)
        sys.stderr.write(f"\r[{bar:.<{_WIDTH}}] {len(ended)}/{whole} ended, {failed} failed")
        sys.stderr.flush()

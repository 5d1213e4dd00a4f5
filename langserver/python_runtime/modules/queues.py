"""`queue`, for one thread: waiting for another to put something would be waiting for ever."""

from __future__ import annotations

import heapq
import types
from collections import deque
from queue import Empty, Full
from typing import Any


class Queue:
    """`queue.Queue`."""

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self.queue: Any = self._empty()

    def _empty(self) -> Any:
        return deque()

    def _add(self, item: Any) -> None:
        self.queue.append(item)

    def _take(self) -> Any:
        return self.queue.popleft()

    def qsize(self) -> int:
        """How many items it holds."""
        return len(self.queue)

    def empty(self) -> bool:
        """Whether it holds none."""
        return not self.queue

    def full(self) -> bool:
        """Whether it holds all it may."""
        return 0 < self.maxsize <= len(self.queue)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Adds an item. Raises Full."""
        if self.full():
            raise Full("the queue is full, and there is no other thread that could take from it")
        self._add(item)
        self.unfinished_tasks += 1

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Takes an item. Raises Empty."""
        if not self.queue:
            raise Empty("the queue is empty, and there is no other thread that could put something in")
        return self._take()

    def put_nowait(self, item: Any) -> None:
        """The same as `put`."""
        self.put(item)

    def get_nowait(self) -> Any:
        """The same as `get`."""
        return self.get()

    def task_done(self) -> None:
        """Says that an item was dealt with."""
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1

    def join(self) -> None:
        """Raises RuntimeError while items are unfinished: nobody else could finish them."""
        if self.unfinished_tasks:
            raise RuntimeError("items of the queue are unfinished, and there is no other thread to finish them")


class LifoQueue(Queue):
    """`queue.LifoQueue`."""

    def _empty(self) -> Any:
        return []

    def _take(self) -> Any:
        return self.queue.pop()


class PriorityQueue(Queue):
    """`queue.PriorityQueue`."""

    def _empty(self) -> Any:
        return []

    def _add(self, item: Any) -> None:
        heapq.heappush(self.queue, item)

    def _take(self) -> Any:
        return heapq.heappop(self.queue)


class SimpleQueue(Queue):
    """`queue.SimpleQueue`."""

    def __init__(self) -> None:
        super().__init__()


NAMES: dict[str, Any] = {each.__name__: each for each in (LifoQueue, PriorityQueue, Queue, SimpleQueue)}

"""Streams in this process: the same rules as Redis's, for a laptop and for tests. They end with the process."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from worker_bridge.core.envelope import Fields
from worker_bridge.core.queues import ASIDE, dead_stream
from worker_bridge.streams.parked import parked_fields
from worker_bridge.streams.port import Claimed, Entry, Figures, Listener

_Id = tuple[int, int]


@dataclass(slots=True)
class _Pending:
    consumer: str
    touched: float
    deliveries: int = 1


@dataclass(slots=True)
class _Stream:
    """One stream with the one group that it has. Entries are in the order of their ids."""

    entries: dict[_Id, Fields] = field(default_factory=dict)
    newest: _Id = (0, 0)
    undelivered: deque[_Id] = field(default_factory=deque)
    pending: dict[_Id, _Pending] = field(default_factory=dict)
    seen: dict[str, float] = field(default_factory=dict)
    added: asyncio.Event = field(default_factory=asyncio.Event)


class MemoryStreams:
    """All streams, for every consumer and for who adds to them. To be used from one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._streams: dict[str, _Stream] = {}
        self._registered: dict[str, tuple[str, float]] = {}

    def consumer(self, name: str) -> MemoryConsumer:
        """A port for one consumer of the group."""
        return MemoryConsumer(self, name)

    async def add(self, stream: str, fields: Mapping[str, str] | Fields) -> str:
        """Appends an entry; its id."""
        return self._add(stream, {_bytes(name): _bytes(value) for name, value in fields.items()})

    async def oldest(self, stream: str, most: int, after: str = "") -> list[tuple[str, dict[str, str]]]:
        """Id and fields of the oldest entries, or of the oldest after one."""
        newer = [entry for entry in self.entries(stream) if not after or _parse(entry.id) > _parse(after)]
        return [
            (entry.id, {_text(name): _text(value) for name, value in entry.fields.items()}) for entry in newer[:most]
        ]

    async def remove(self, stream: str, entry_ids: Iterable[str]) -> None:
        """Removes entries; those that are gone already are no error."""
        for entry_id in entry_ids:
            of, number = self._of(stream), _parse(entry_id)
            if of.entries.pop(number, None) is not None and number not in of.pending:
                of.undelivered.remove(number)

    async def close(self) -> None:
        """Nothing to let go of."""

    async def exists(self, stream: str, entry_id: str) -> bool:
        """Whether the entry is still in the stream: not acked, not parked."""
        return _parse(entry_id) in self._of(stream).entries

    def entries(self, stream: str) -> list[Entry]:
        """What is in the stream, the oldest first."""
        return [Entry(stream, _format(number), fields, 0) for number, fields in self._of(stream).entries.items()]

    def _of(self, stream: str) -> _Stream:
        return self._streams.setdefault(stream, _Stream())

    def _add(self, stream: str, fields: Fields) -> str:
        of = self._of(stream)
        of.newest = max((int(time.time() * 1000), 0), (of.newest[0], of.newest[1] + 1))
        of.entries[of.newest] = dict(fields)
        of.undelivered.append(of.newest)
        of.added.set()
        of.added = asyncio.Event()
        return _format(of.newest)


class MemoryConsumer:
    """A StreamPort on MemoryStreams."""

    def __init__(self, streams: MemoryStreams, name: str) -> None:
        self._all = streams
        self._name = name

    async def check(self) -> None:
        """Always well."""

    async def register(self, nonce: str, seconds: float) -> bool:
        """See StreamPort."""
        now = self._all._clock()
        holder, until = self._all._registered.get(self._name, ("", 0.0))
        if holder not in ("", nonce) and until > now:
            return False
        self._all._registered[self._name] = (nonce, now + seconds)
        return True

    async def unregister(self, nonce: str) -> None:
        """See StreamPort."""
        if self._all._registered.get(self._name, ("", 0.0))[0] == nonce:
            del self._all._registered[self._name]

    async def read(self, stream: str, count: int) -> list[Entry]:
        """See StreamPort."""
        of, now = self._seen(stream)
        numbers = [of.undelivered.popleft() for _ in range(min(count, len(of.undelivered)))]
        for number in numbers:
            of.pending[number] = _Pending(self._name, now)
        return [Entry(stream, _format(number), of.entries[number]) for number in numbers]

    async def wait(self, stream: str, seconds: float) -> None:
        """See StreamPort."""
        of = self._all._of(stream)
        if of.undelivered:
            return
        try:
            async with asyncio.timeout(seconds):
                await of.added.wait()
        except TimeoutError:
            pass

    async def claim(self, stream: str, idle_seconds: float, count: int, cursor: str) -> Claimed:
        """See StreamPort."""
        of, now = self._seen(stream)
        found: list[Entry] = []
        for number in sorted(of.pending):
            if number < _parse(cursor or "0-0") or now - of.pending[number].touched < idle_seconds:
                continue
            if len(found) == count:
                return Claimed(found, _format(number))
            if number not in of.entries:
                del of.pending[number]
                continue
            pending = of.pending[number]
            of.pending[number] = replace(pending, consumer=self._name, touched=now, deliveries=pending.deliveries + 1)
            found.append(Entry(stream, _format(number), of.entries[number], pending.deliveries + 1))
        return Claimed(found, "")

    async def touch(self, stream: str, entry_id: str) -> None:
        """See StreamPort."""
        self._hold(stream, entry_id, self._name, 0)

    async def set_aside(self, stream: str, entry_id: str) -> None:
        """See StreamPort."""
        self._hold(stream, entry_id, ASIDE, 0)

    async def give_back(self, stream: str, entry_id: str, idle_seconds: float) -> None:
        """See StreamPort."""
        self._hold(stream, entry_id, self._name, idle_seconds)

    async def mine(self, stream: str) -> list[str]:
        """See StreamPort."""
        pending = self._all._of(stream).pending
        return [_format(number) for number in sorted(pending) if pending[number].consumer == self._name]

    async def ack(self, stream: str, entry_id: str) -> None:
        """See StreamPort."""
        of, number = self._all._of(stream), _parse(entry_id)
        of.pending.pop(number, None)
        of.entries.pop(number, None)

    async def ack_if_mine(self, stream: str, entry_id: str) -> bool:
        """See StreamPort."""
        pending = self._all._of(stream).pending.get(_parse(entry_id))
        if pending is None or pending.consumer != self._name:
            return False
        await self.ack(stream, entry_id)
        return True

    async def park(self, entry: Entry, reason: str) -> None:
        """See StreamPort."""
        self._all._add(dead_stream(entry.stream), parked_fields(entry, reason))
        await self.ack(entry.stream, entry.id)

    async def remove_idle_consumers(self, stream: str, idle_seconds: float) -> list[str]:
        """See StreamPort."""
        of, now = self._all._of(stream), self._all._clock()
        busy = {pending.consumer for pending in of.pending.values()}
        gone = [
            name
            for name, seen in of.seen.items()
            if now - seen > idle_seconds and name not in busy and not self._is_registered(name)
        ]
        for name in gone:
            del of.seen[name]
        return gone

    async def figures(self, stream: str) -> Figures:
        """See StreamPort."""
        of = self._all._of(stream)
        holders = [pending.consumer for pending in of.pending.values()]
        return Figures(
            stream=stream,
            depth=len(of.entries),
            lag=len(of.undelivered),
            pending=len(of.pending),
            dead=len(self._all._of(dead_stream(stream)).entries),
            listeners=tuple(
                Listener(name, holders.count(name)) for name in sorted(of.seen) if self._is_registered(name)
            ),
        )

    async def close(self) -> None:
        """Nothing to let go of."""

    def _is_registered(self, name: str) -> bool:
        return self._all._registered.get(name, ("", 0.0))[1] > self._all._clock()

    def _seen(self, stream: str) -> tuple[_Stream, float]:
        of, now = self._all._of(stream), self._all._clock()
        of.seen[self._name] = now
        return of, now

    def _hold(self, stream: str, entry_id: str, consumer: str, idle_seconds: float) -> None:
        of, number, now = self._all._of(stream), _parse(entry_id), self._all._clock()
        if number in of.pending:
            of.seen.setdefault(consumer, now)
            of.pending[number] = replace(of.pending[number], consumer=consumer, touched=now - idle_seconds)


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _text(value: bytes) -> str:
    return value.decode(errors="replace")


def _parse(entry_id: str) -> _Id:
    moment, _, number = entry_id.partition("-")
    return int(moment), int(number)


def _format(number: _Id) -> str:
    return f"{number[0]}-{number[1]}"

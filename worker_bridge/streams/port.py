"""What the bridge asks of streams: a port for one consumer of the group `workers`, kept by Redis or in this process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from worker_bridge.core.envelope import Fields


@dataclass(frozen=True, slots=True)
class Entry:
    """One delivery of a stream's entry. `deliveries` counts them, this one included."""

    stream: str
    id: str
    fields: Fields = field(repr=False)
    deliveries: int = 1


@dataclass(frozen=True, slots=True)
class Claimed:
    """What one look for forgotten entries gave; the next one goes on at `cursor`, or is through where that is ''."""

    entries: list[Entry]
    cursor: str


@dataclass(frozen=True, slots=True)
class Listener:
    """A registered worker that reads a stream, and how many of its entries it holds."""

    name: str
    pending: int


@dataclass(frozen=True, slots=True)
class Figures:
    """One stream. `depth`: entries in it; `lag`: of these, never delivered; `pending`: delivered, not acked."""

    stream: str
    depth: int
    lag: int
    pending: int
    dead: int
    listeners: tuple[Listener, ...]


class StreamPort(Protocol):
    """Every method but `close` raises Unreachable where the streams cannot be had now; StreamRefused: not this one."""

    async def check(self) -> None:
        """Whether these streams can be worked with at all. Raises StartError where no waiting helps."""

    async def register(self, nonce: str, seconds: float) -> bool:
        """Takes, or keeps, the consumer's name for so long; False: another one has it."""

    async def unregister(self, nonce: str) -> None:
        """Frees the consumer's name, where it is still ours."""

    async def read(self, stream: str, count: int) -> list[Entry]:
        """Up to `count` entries that nobody got before; does not wait."""

    async def wait(self, stream: str, seconds: float) -> None:
        """Until there may be something to read, or the time is over. Takes nothing."""

    async def claim(self, stream: str, idle_seconds: float, count: int, cursor: str) -> Claimed:
        """Takes over up to `count` entries that nobody touched for so long; `cursor` is '' at first."""

    async def touch(self, stream: str, entry_id: str) -> None:
        """It is worked on: not forgotten, and this consumer's."""

    async def set_aside(self, entry: Entry) -> None:
        """Out of this consumer's hand; whoever looks for forgotten entries finds it in the end. No delivery."""

    async def give_back(self, entry: Entry, idle_seconds: float) -> None:
        """Nobody works on it: as if it had not been touched for so long, and as if this had been no delivery."""

    async def mine(self, stream: str) -> list[Entry]:
        """The entries that were delivered to this consumer and not acked, without their fields."""

    async def ack(self, stream: str, entry_id: str) -> None:
        """It is done with, whoever has it: it goes from the stream."""

    async def ack_if_mine(self, stream: str, entry_id: str) -> bool:
        """`ack`, unless another consumer has it; whether it was done."""

    async def park(self, entry: Entry, reason: str) -> None:
        """Moves it into the dead stream, with its origin. May do so twice when an answer was lost."""

    async def remove_idle_consumers(self, stream: str, idle_seconds: float) -> list[str]:
        """Removes consumers that hold nothing, were idle for so long, and are not registered; their names."""

    async def figures(self, stream: str) -> Figures:
        """How the stream is."""

    async def close(self) -> None:
        """Lets go of connections."""

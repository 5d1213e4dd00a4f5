"""What the coordinator needs of streams. Redis has them; an in-process one serves a single process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

Entry: TypeAlias = tuple[str, dict[str, str]]  # its id, its fields


class StreamPort(Protocol):
    """Each method raises StreamUnavailable, or StreamRefused where something else has the stream's name.

    None tries again by itself: a reply may be lost after its effect.
    """

    async def add(self, stream: str, fields: Mapping[str, str]) -> str:
        """Appends an entry; returns its id."""
        ...

    async def exists(self, stream: str, entry_id: str) -> bool:
        """Whether the entry is still there, read or not."""
        ...

    async def oldest(self, stream: str, most: int, after: str = "") -> list[Entry]:
        """The oldest entries of a stream, or the oldest after one; of a stream that is not there, none."""
        ...

    async def remove(self, stream: str, entry_ids: Sequence[str]) -> None:
        """Removes entries; those that are gone already are no error."""
        ...

    async def close(self) -> None:
        """Gives the connections back."""
        ...

"""What an operation needs of a database, and what a database does with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

Row: TypeAlias = dict[str, Any]
Result = TypeVar("Result")


class Transaction(Protocol):
    """One open transaction. Statements name their parameters `:name`; these words stand for what the databases spell
    differently: NOW_MS (the database's own clock, milliseconds since 1970), FOR_UPDATE, SKIP_LOCKED.
    """

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        """The rows of a SELECT, or of a RETURNING."""
        ...

    def change(self, sql: str, **parameters: object) -> int:
        """Runs a statement; how many rows it changed."""
        ...


Operation: TypeAlias = Callable[[Transaction], Result]


class Database(Protocol):
    """Runs operations, each in a transaction of its own: all of it is durable when `run` returns, or nothing of it."""

    async def run(self, operation: Operation[Result]) -> Result:
        """Runs it, again where a conflict with another transaction undid it. Raises StoreUnavailable."""
        ...

    async def close(self) -> None:
        """Finishes what was begun."""
        ...

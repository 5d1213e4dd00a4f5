"""How an execution ended, as it is reported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """`output` is JSON text. `error` reads `KIND: message (file:line)`; `error_json` and `logs_json` may be empty."""

    completed: bool
    output: bytes = b""
    error: str = ""
    terminal: bool = False
    error_json: bytes = b""
    logs_json: bytes = b""

    @property
    def status(self) -> str:
        """The word for it in the contract."""
        return "completed" if self.completed else "failed"

    @classmethod
    def failed(cls, kind: str, message: str, *, terminal: bool) -> Outcome:
        """A failure that the bridge itself speaks of; `terminal`: no retry can mend it."""
        return cls(completed=False, error=f"{kind}: {message}", terminal=terminal)

"""One thing that is wrong with a source, with its place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """`rule` names the rule; lines and columns count from 1, columns in characters, the last one is behind the end.

    `hint` may be empty. `error` is empty for what the policy has against the source, else the class of the exception
    that the source will raise by a mistake of its own.
    """

    rule: str
    message: str
    line: int
    column: int
    hint: str = ""
    end_line: int = 0
    end_column: int = 0
    error: str = ""

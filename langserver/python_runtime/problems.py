"""One thing that the policy has against a source, with its place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """`rule` names the rule; `line` and `column` count from 1, `column` in characters; `hint` may be empty."""

    rule: str
    message: str
    line: int
    column: int
    hint: str = ""

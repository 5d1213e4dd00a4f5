"""The demo's tables: lines that appear one by one, so the widths are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """Its heading, and how wide the cells are; numbers stand to the right."""

    heading: str
    width: int
    number: bool = False

    def fit(self, text: str) -> str:
        """A cell; one that is too long pushes the rest of its line aside."""
        width = max(self.width, len(self.heading))
        return text.rjust(width) if self.number else text.ljust(width)


def heading(columns: Sequence[Column]) -> str:
    """The table's first two lines."""
    rule = "  ".join("-" * len(column.fit("")) for column in columns)
    return line(columns, [column.heading for column in columns]) + "\n" + rule


def line(columns: Sequence[Column], cells: Sequence[str]) -> str:
    """One row."""
    return "  ".join(column.fit(cell) for column, cell in zip(columns, cells, strict=True)).rstrip()

"""What the self-test showed, as a table: a row an attempt, a column a runtime."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from langserver.commands.present import Colour, Page
from langserver.sandbox.selftest import Finding

_WIDTH = 10
_NOT_TRIED = "-"


def show(page: Page, found: Mapping[str, Sequence[Finding]]) -> None:
    """Prints it; `found` is by runtime, and what failed is said below its row."""
    names = list(dict.fromkeys(finding.attempt for findings in found.values() for finding in findings))
    first = max(map(len, names), default=0) + 2
    page.line(page.paint(f"{'Self-test':<{first + 2}}{_cells(found)}stopped by", Colour.BOLD))
    for name in names:
        rows = {runtime: [one for one in findings if one.attempt == name] for runtime, findings in found.items()}
        marks = "".join(_mark(page, row) for row in rows.values())
        every = [finding for row in rows.values() for finding in row]
        layers = dict.fromkeys(finding.layer for finding in every if finding.layer and finding.held)
        page.line(f"  {name:<{first}}{marks}{', '.join(layers)}".rstrip())
        for runtime, row in rows.items():
            for finding in row:
                if finding.held is False:
                    page.line(page.paint(f"    {runtime}: {finding.detail}", Colour.RED))


def _cells(texts: Iterable[str]) -> str:
    return "".join(f"{text:<{_WIDTH}}" for text in texts)


def _mark(page: Page, row: Sequence[Finding]) -> str:
    if any(finding.held is False for finding in row):
        return page.paint(_cells(["FAILED"]), Colour.RED)
    if not row:
        return _cells([_NOT_TRIED])
    if row[0].held is None:
        return page.paint(_cells(["uncovered"]), Colour.YELLOW)
    return page.paint(_cells(["ok"]), Colour.GREEN)

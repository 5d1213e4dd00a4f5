"""Links between the pages of this repository lead somewhere, and the tests they name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")])


def anchors(page: Path) -> set[str]:
    """Heading anchors, made as the usual Markdown viewers make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{target} is not there"
        assert not anchor or anchor in anchors(linked), f"{target}: no such heading"


def test_every_decision_is_listed() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text()
    for record in (ROOT / "docs" / "decisions").glob("0*.md"):
        assert f"({record.name})" in index, f"{record.name} is not in the index"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_named_test_exists(page: Path) -> None:
    for path, name in re.findall(r"\b(tests/[\w/]+\.py)(?:::(\w+))?", page.read_text()):
        file = ROOT / path
        assert file.exists(), f"{path} is not there"
        assert not name or re.search(rf"^(?:async )?def {name}\(", file.read_text(), re.MULTILINE), f"{path}::{name}"


def test_the_review_names_tests() -> None:
    """For every row of what would go wrong."""
    sections = (ROOT / "docs" / "security-review.md").read_text().partition("## Decided otherwise")[0]
    rows = [
        line for line in sections.splitlines() if line.startswith("| ") and not line.startswith(("| what", "| ---"))
    ]
    assert len(rows) > 20
    assert [row for row in rows if "::test_" not in row] == []

"""What is read off the text of a source before V8 sees it. Hints only: nothing here decides how the text is parsed."""

from __future__ import annotations

import re

LEXICALS = ("require", "module", "exports")

_CALLED_AWAIT = re.compile(r"\bawait\s*[(\[`/+\-]|\bawait[ \t]*\n")


def script_text(source: str) -> str:
    """The source as every parser takes it: a hashbang line becomes a comment of the same length."""
    return "//" + source[2:] if source.startswith("#!") else source


def may_call_await(source: str) -> bool:
    """Whether the source has an await that a script's parser would take for a variable: `await (x)`, `await [x]`."""
    return bool(_CALLED_AWAIT.search(source))


def wanted_lexicals(source: str) -> list[str]:
    """Which of LEXICALS the source mentions without declaring them: a second declaration would clash."""
    return [name for name in LEXICALS if name in source and not _declares(source, name)]


def _declares(source: str, name: str) -> bool:
    return bool(
        re.search(rf"\b(?:var|let|const|function|class|async\s+function)\b\s*\*?\s*{name}\b", source)
        or re.search(rf"\b(?:var|let|const)\s*[{{\[][^=;]*\b{name}\b[^=;]*[}}\]]\s*=", source)
    )

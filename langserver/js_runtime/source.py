"""What is read off the text of a source before V8 sees it. Hints only: nothing here decides how the text is parsed."""

from __future__ import annotations

import re

LEXICALS = ("require", "module", "exports")

_PATTERN_OPENS = re.compile(r"\b(?:var|let|const)\s*[{\[]")
_UNASSIGNED = re.compile(r"[^=;]+")  # a stretch in which nothing is assigned and no statement ends
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
    # In one pass, whatever the source: no two repetitions here can share the same blanks, and no stretch is read twice.
    keyword = r"\b(?:var|let|const|function|class|async\s+function)\b"
    return bool(re.search(rf"{keyword}\s*+(?:\*\s*+)?{name}\b", source)) or _destructures(source, name)


def _destructures(source: str, name: str) -> bool:
    """Whether it has something like `const { name } =`."""
    whole_name = re.compile(rf"\b{name}\b")
    for piece in _UNASSIGNED.finditer(source):
        start, end = piece.span()
        if source[end : end + 1] != "=" or piece[0].rstrip()[-1:] not in {"}", "]"}:
            continue
        opening = _PATTERN_OPENS.search(source, start, end)
        if opening and whole_name.search(source, opening.end(), end):
            return True
    return False

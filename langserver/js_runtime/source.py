"""What is read off the text of a source before a parser sees it. Hints only: they say whether to ask a parser."""

from __future__ import annotations

import re

LEXICALS = ("require", "module", "exports")

_CALLED_AWAIT = re.compile(r"\bawait\s*[(\[`/+\-]|\bawait[ \t]*[\n\r\u2028\u2029]")
_MENTION = re.compile(r"(?<![\w$.])(?:require|module|exports)(?![\w$])")
# Uses that declare nothing, whatever is around them but the word function.
_PLAIN_USE = re.compile(
    r"(?<![\w$.])(?:(function)\b\s*+\*?\s*+)?(?:require\s*+\(|module\s*+\.\s*+exports(?![\w$])|exports\s*+[.\[])"
)


def script_text(source: str) -> str:
    """The source as every parser takes it: a hashbang line becomes a comment of the same length."""
    return "//" + source[2:] if source.startswith("#!") else source


def may_call_await(source: str) -> bool:
    """Whether the source has an await that a script's parser would take for a variable: `await (x)`, `await [x]`."""
    return bool(_CALLED_AWAIT.search(source))


def mentioned_lexicals(source: str) -> list[str]:
    """Which of LEXICALS occur in the source at all."""
    return [name for name in LEXICALS if name in source]


def may_declare_lexical(source: str) -> bool:
    """Whether the source may declare one of LEXICALS itself: a second declaration of it would clash."""
    rest = _PLAIN_USE.sub(lambda found: found[0] if found[1] else " ", source)
    return bool(_MENTION.search(rest))

"""What is read off the text of a source before a parser sees it. Hints only: they say whether to ask a parser."""

from __future__ import annotations

import re

LEXICALS = ("require", "module", "exports")

_CALLED_AWAIT = re.compile(r"\bawait\s*[(\[`/+\-]|\bawait[ \t]*[\n\r\u2028\u2029]")
_RETURN = re.compile(r"\s*return\b")
_NAMED_VALUE = re.compile(r"(?m)^(?:(?:async +)?function|const|let|var) +(?:main|result)\b")
_LONG_LINE = 1000
# What may stand before a name where it is declared: a keyword, or what goes on with a list or pattern of names. In one
# pass, whatever the source: no two repetitions here can share the same blanks.
_DECLARED = re.compile(
    r"(?:\b(?:var|let|const|using|function|class)|[,{\[:*/]|\.\.\.)\s*+(?:require|module|exports)(?![\w$])"
)


def script_text(source: str) -> str:
    """The source as every parser takes it: a hashbang line becomes a comment of the same length."""
    return "//" + source[2:] if source.startswith("#!") else source


def may_call_await(source: str) -> bool:
    """Whether the source has an await that a script's parser would take for a variable: `await (x)`, `await [x]`."""
    return bool(_CALLED_AWAIT.search(source))


def gives_own_value(source: str) -> bool:
    """Whether a source with a top-level await has a main, a result or a return at its end, as far as lines tell."""
    if _NAMED_VALUE.search(source):
        return True
    line = source[-_LONG_LINE:].rstrip().rpartition("\n")[2]
    is_closed = line.count("{") >= line.count("}") and line.count("(") >= line.count(")")
    return bool(_RETURN.match(line)) and is_closed and "`" not in line and "*/" not in line


def mentioned_lexicals(source: str) -> list[str]:
    """Which of LEXICALS occur in the source at all."""
    return [name for name in LEXICALS if name in source]


def may_declare_lexical(source: str) -> bool:
    """Whether the source may declare one of LEXICALS itself: a second declaration of it would clash."""
    return bool(_DECLARED.search(source))

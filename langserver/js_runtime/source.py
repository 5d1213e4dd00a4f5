"""What is read off the text of a source before a parser sees it. Hints only: they say whether to ask a parser."""

from __future__ import annotations

import re
from collections.abc import Iterator

LEXICALS = ("require", "module", "exports")

# U+FEFF is a blank of the language and none of Python's; a comment begins with / or <.
_CALLED_AWAIT = re.compile(r"\bawait(?=[\s\ufeff]*[(\[`/+\-<]|[\s\ufeff]*?[\n\r\u2028\u2029])")
_FOR_AWAIT = re.compile(r"\bfor\s+$")
_NAMED_VALUE = re.compile(r"(?m)^(?:(?:async +)?function|const|let|var) +(?:main|result)\b")
_THROWN = re.compile(r"\bthrow\b(?!\s+new\s+\w*Error\b)")
_RETURN_LINES = (re.compile(r"(?m)^[ \t]*return\b"), re.compile(r"(?m)^return\b"))
# What may stand before a name where it is declared: a keyword, what goes on with a list or pattern of names, or the end
# of a comment. What never stands behind it: a dot. In one pass, whatever the source: no two repetitions here can share
# the same blanks.
_DECLARED = re.compile(
    r"(?:\b(?:var|let|const|using|function|class)|[,{\[:*/]|\.\.\.)[\s\ufeff]*+"
    r"(?:require|module|exports)(?![\w$]|[\s\ufeff]*+\.)"
)
_BEGINS_LINE = re.compile(r"[\s\ufeff]*+(?:require|module|exports)(?![\w$]|[\s\ufeff]*+\.)")
_LINE_END = re.compile(r"[\n\r\u2028\u2029]")
_LINE_COMMENT = re.compile(r"//|<!--|-->")


def script_text(source: str) -> str:
    """The source as every parser takes it: a hashbang line becomes a comment of the same length."""
    return "//" + source[2:] if source.startswith("#!") else source


def may_call_await(source: str) -> bool:
    """Whether the source has an await that a script's parser would take for a variable: `await (x)`, `await [x]`."""
    return "await" in source and bool(_CALLED_AWAIT.search(source))


def with_plain_awaits(source: str) -> str:
    """The source with `await 0+ (x)` for `await (x)`, and so on: no script's parser takes that for a variable.

    So where this parses as something that is not async, each such await is one within an async function, or in a string
    or comment. It is never run.
    """
    return _CALLED_AWAIT.sub(_plain_await, source)


def _plain_await(found: re.Match[str]) -> str:
    before = found.string[max(0, found.start() - 20) : found.start()]
    return found[0] if _FOR_AWAIT.search(before) else "await 0+ "


def may_throw_object(source: str) -> bool:
    """Whether the source says `throw` of what may be more than an error with its message."""
    if "throw" not in source:
        return False
    return bool(_THROWN.search(source)) or "cause" in source or "AggregateError" in source


def names_value(source: str) -> bool:
    """Whether a line of the source begins with the declaration of main or result, at its top level or elsewhere."""
    return bool(_NAMED_VALUE.search(source))


def at_returns(source: str) -> Iterator[tuple[str, str]]:
    """The source before a line that begins with `return`, and from there on; for two lines at most.

    Where each of the two parses by itself, that is a statement of the source's top level: no statement that is complete
    goes on with this word.
    """
    tried = -1
    for pattern in _RETURN_LINES:
        at = max((found.start() for found in pattern.finditer(source)), default=tried)
        if at != tried:
            yield source[:at], source[at:]
        tried = at


def at_named_values(source: str) -> Iterator[tuple[str, str]]:
    """As `at_returns`, for the first and the last line that begins with the declaration of main or result."""
    places = [found.start() for found in _NAMED_VALUE.finditer(source)]
    for at in dict.fromkeys(places[:1] + places[-1:]):
        yield source[:at], source[at:]


def mentioned_lexicals(source: str) -> list[str]:
    """Which of LEXICALS occur in the source at all."""
    return [name for name in LEXICALS if name in source]


def may_declare_lexical(source: str) -> bool:
    """Whether the source may declare one of LEXICALS itself: a second declaration of it would clash."""
    return bool(_DECLARED.search(source)) or _begins_line_after_comment(source)


def _begins_line_after_comment(source: str) -> bool:
    """Whether a line begins with such a name, and the last one before it that is not empty may end with a comment."""
    follows_comment = False
    for line in _LINE_END.split(source):
        if follows_comment and _BEGINS_LINE.match(line):
            return True
        if line.strip():
            follows_comment = bool(_LINE_COMMENT.search(line))
    return False

"""The modules that a source names, found without an engine: V8 parses a source but does not tell what is in it.

A list for people, which decides nothing. What the scanner does not know: it takes a slash after `)` for a division and
one after `}` for the start of a regular expression; it follows no variable, so that neither `require(name)` nor
`const load = require; load("fs")` is seen, nor a name that is spelled with escapes; and a function of the program that
is called `require` counts as the one that is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MENTION = re.compile(r"\b(?:require|import|export)\b")
# Every alternative takes at least as much as it looked at (possessive, its closer optional): a source that never closes
# what it opens costs no second look.
_TOKEN = re.compile(
    r"""
      (?P<blank> \s++ | //[^\n\r\u2028\u2029]*+ | /\*(?:.*?\*/|.*) )
    | (?P<text> "(?:[^"\\\n\r]|\\\r?.)*+"? | '(?:[^'\\\n\r]|\\\r?.)*+'? )
    | (?P<word> \d[\w.]*+ | [\w$]++ )
    | (?P<mark> \.\.\. | \?\. | \+\+ | -- | => | . )
    """,
    re.DOTALL | re.VERBOSE,
)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*+\]?)*+/?\w*")
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*+(?:`|\$\{)?", re.DOTALL)
_BEFORE_REGEX = frozenset(
    "return typeof case in of delete void throw new instanceof do else await yield default extends".split()
)
_VALUE_ENDS = frozenset((")", "]", "++", "--"))
_CLAUSE_MARKS = frozenset("{},*")
_MEMBER_MARKS = frozenset((".", "?.", "#"))
_QUOTES = "\"'`"
_NAME_CHARS = 256


@dataclass(frozen=True, slots=True)
class Import:
    """A module that a source names, and where; line and column count from 1.

    `is_statement` tells an import or export statement from a call of require or import, which a program may catch.
    """

    name: str
    line: int
    column: int
    is_statement: bool


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    is_text: bool = False  # a string, or a template without a hole
    is_word: bool = False

    @property
    def module(self) -> str | None:
        inner = self.text[1:-1]
        is_name = 0 < len(inner) <= _NAME_CHARS and "\\" not in inner and "\n" not in inner
        return inner if is_name and self.text[0] in _QUOTES and self.text[0] == self.text[-1] else None


_NONE = _Token("", 0)


def imports(source: str) -> list[Import]:
    """The modules in require("...") and import("..."), in import statements and `export ... from`, in order."""
    found: list[Import] = []
    if not _MENTION.search(source):
        return found
    line, line_start, counted = 1, 0, 0
    for name, start, is_statement in _named(source):
        line += source.count("\n", counted, start)
        line_start = source.rfind("\n", counted, start) + 1 or line_start
        counted = start
        found.append(Import(name, line, start - line_start + 1, is_statement))
    return found


def _named(source: str) -> Iterator[tuple[str, int, bool]]:
    """Each module's name, where its require, import or export stands, and whether that is a statement."""
    last = [_NONE] * 4  # what may be: mark before, require, bracket, name
    clause = _NONE  # the import or export whose `from` has not come yet
    for token in _tokens(source):
        before, word, bracket, given = last
        called = bracket.text == "(" and token.text in {")", ","} and before.text not in _MEMBER_MARKS
        if called and given.module and (word.text == "import" or (word.text == "require" and token.text == ")")):
            yield given.module, word.start, False
        if clause is not _NONE:
            if token.module and given.text in {"from", "import"}:
                yield token.module, clause.start, True
                clause = _NONE
            elif not (token.is_word or token.is_text or token.text in _CLAUSE_MARKS):
                clause = _NONE
        if token.text in {"import", "export"} and token.is_word and given.text not in _MEMBER_MARKS:
            clause = token
        last = [word, bracket, given, token]


def _tokens(source: str) -> Iterator[_Token]:
    """What is code: no comments, and a template as its holes' code only."""
    holes: list[int] = []  # of the templates around: how many braces are open in the hole
    last = _NONE
    at = 0
    while at < len(source):
        if source[at] == "`" or (source[at] == "}" and holes and not holes[-1]):
            if source[at] == "}":
                holes.pop()
            end = _end(_TEMPLATE, source, at + 1)
            if source.endswith("${", at + 1, end):
                holes.append(0)
                last = _Token("${", at)
            else:
                last = _Token(source[at:end], at, is_text=source[at] == "`")
            yield last
        elif source[at] == "/" and source[at + 1 : at + 2] not in {"/", "*"} and not _ends_value(last):
            end = _end(_REGEX, source, at)
            last = _Token(source[at:end], at, is_text=True)
            yield last
        else:
            match = _TOKEN.match(source, at)
            assert match is not None  # the last alternative is any character
            end = match.end()
            if match.lastgroup != "blank":
                last = _Token(match[0], at, match.lastgroup == "text", match.lastgroup == "word")
                if holes and last.text in {"{", "}"}:
                    holes[-1] += 1 if last.text == "{" else -1
                yield last
        at = end


def _ends_value(token: _Token) -> bool:
    """Whether a slash after the token divides."""
    if token.is_word:
        return token.text not in _BEFORE_REGEX
    return token.is_text or token.text in _VALUE_ENDS or token.text.endswith("`")


def _end(pattern: re.Pattern[str], source: str, at: int) -> int:
    match = pattern.match(source, at)
    assert match is not None  # both patterns take anything
    return match.end()

"""Lines of a source as V8 counts them, and a line with a caret under the place that is meant."""

from __future__ import annotations

import re

_BREAK = re.compile("\r\n|[\n\r\u2028\u2029]")  # str.splitlines knows more than the language does
_SHOWN_CHARACTERS = 200
_BEYOND_BMP = re.compile("[\U00010000-\U0010ffff]")


def source_line(source: str, number: int) -> str | None:
    """The line with that number, counted from 1, without its end; None when there is no such line."""
    start = 0
    for found in _BREAK.finditer(source):
        if number == 1:
            return source[start : found.start()]
        start = found.end()
        number -= 1
    return source[start:] if number == 1 else None


def line_count(source: str) -> int:
    """How many lines the source has; an empty one has one."""
    return sum(1 for _ in _BREAK.finditer(source)) + 1


def pointed(line: str, column: int) -> str:
    """The line, cut around the place, and below it a caret. `column` counts UTF-16 units from 1; 0 is no caret."""
    if not column:
        return line[:_SHOWN_CHARACTERS]
    at = characters(line, column - 1)
    start = max(0, at - _SHOWN_CHARACTERS // 2)
    before = "".join(char if char == "\t" else " " for char in line[start:at])
    return f"{line[start : start + _SHOWN_CHARACTERS]}\n{before}{' ' * (at - max(start, len(line)))}^"


def characters(line: str, units: int) -> int:
    """How many characters of the line the first `units` UTF-16 units are."""
    for found in _BEYOND_BMP.finditer(line):
        if found.start() + 1 > units:
            break
        units -= 1
    return units

"""`str.format` whose fields reach attributes through the guard."""

from __future__ import annotations

import _string  # type: ignore[import-not-found]  # what string.Formatter is made of
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

# An attribute or an index inside a replacement field; nested fields are found as well.
_REACHES = re.compile(r"\{[^{}:!]*[.\[]")
MAX_NESTING = 2

Load = Callable[[Any, str], Any]


def format_text(
    load: Load, template: str, args: Sequence[Any], kwargs: Mapping[str, Any], from_map: bool = False
) -> str:
    """`template.format(*args, **kwargs)`, or with `from_map` `template.format_map(kwargs)`.

    Attributes in replacement fields are read by `load`.
    """
    template = str.__str__(template)
    if _REACHES.search(template) is None:
        return template.format_map(kwargs) if from_map else template.format(*args, **kwargs)
    return _Formatter(load, args, kwargs).render(template, MAX_NESTING)


class _Formatter:
    def __init__(self, load: Load, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._load = load
        self._args = args
        self._kwargs = kwargs
        self._next: int | None = 0

    def render(self, template: str, nesting: int) -> str:
        if nesting < 0:
            raise ValueError("Max string recursion exceeded")
        parts: list[str] = []
        for text, field, spec, conversion in _string.formatter_parser(template):
            parts.append(text)
            if field is not None:
                value = convert(self._field(field), conversion)
                parts.append(format(value, self.render(spec, nesting - 1)))
        return "".join(parts)

    def _field(self, field: str) -> Any:
        first, rest = _string.formatter_field_name_split(field)
        value = self._argument(first)
        for is_attribute, name in rest:
            value = self._load(value, name) if is_attribute else value[name]
        return value

    def _argument(self, first: int | str) -> Any:
        if first == "":
            if self._next is None:
                raise ValueError("cannot switch from manual field specification to automatic field numbering")
            index, self._next = self._next, self._next + 1
            return self._args[index]
        if isinstance(first, int):
            if self._next:
                raise ValueError("cannot switch from automatic field numbering to manual field specification")
            self._next = None
            return self._args[first]
        return self._kwargs[first]


def convert(value: Any, conversion: str | None) -> Any:
    """Applies `!r`, `!s` or `!a` of a replacement field."""
    match conversion:
        case None:
            return value
        case "r":
            return repr(value)
        case "s":
            return str(value)
        case "a":
            return ascii(value)
    raise ValueError(f"Unknown conversion specifier {conversion!s}")

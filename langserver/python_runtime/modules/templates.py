"""`string.Formatter`, written anew: the library's reaches attributes past the guard."""

from __future__ import annotations

import _string  # type: ignore[import-not-found]  # what string.Formatter is made of
from collections.abc import Mapping, Sequence
from typing import Any

from langserver.python_runtime.formatting import MAX_NESTING, convert
from langserver.python_runtime.guards import load
from langserver.python_runtime.names import exact


class Formatter:
    """`string.Formatter`, not derived from it: every step is a method that a program may override."""

    def __init__(self) -> None:
        """Takes nothing, as the library's."""

    def format(self, format_string: str, /, *args: Any, **kwargs: Any) -> str:
        """Formats like `str.format`."""
        return self.vformat(format_string, args, kwargs)

    def vformat(self, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Formats with a sequence and a mapping."""
        used: set[Any] = set()
        text = self._rendered(format_string, args, kwargs, used, [0], MAX_NESTING)
        self.check_unused_args(used, args, kwargs)
        return text

    def _rendered(  # noqa: PLR0917 -- the parts of one call
        self,
        template: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        used: set[Any],
        counter: list[int | None],
        nesting: int,
    ) -> str:
        if nesting < 0:
            raise ValueError("Max string recursion exceeded")
        parts: list[str] = []
        for text, field, spec, conversion in self.parse(template):
            if text:
                parts.append(text)
            if field is None:
                continue
            value, first = self.get_field(_numbered(field, counter), args, kwargs)
            used.add(first)
            value = self.convert_field(value, conversion)
            inner = self._rendered(spec or "", args, kwargs, used, counter, nesting - 1)
            parts.append(self.format_field(value, inner))
        return "".join(parts)

    def parse(self, format_string: str) -> Any:
        """The literal texts and fields of a template."""
        return _string.formatter_parser(format_string)

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, Any]:
        """The value of a field and its first part. Attributes go through the guard."""
        first, rest = _string.formatter_field_name_split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, name in rest:
            value = load(value, exact(name)) if is_attribute else value[name]
        return value, first

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """An argument by its number or name."""
        return args[key] if isinstance(key, int) else kwargs[key]

    def check_unused_args(self, used_args: set[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Does nothing; for subclasses."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        """The value as text."""
        return format(value, format_spec)

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        """Applies `!r`, `!s` or `!a`."""
        return convert(value, conversion)


def _numbered(field: str, counter: list[int | None]) -> str:
    """`field` with its number where it has none. `counter` holds the next one, or None after a field with a number."""
    first, _ = _string.formatter_field_name_split(field)
    if first == "":
        if counter[0] is None:
            raise ValueError("cannot switch from manual field specification to automatic field numbering")
        field = f"{counter[0]}{field}"
        counter[0] += 1
    elif isinstance(first, int):
        if counter[0]:
            # In the library's words, which are the same both ways.
            raise ValueError("cannot switch from manual field specification to automatic field numbering")
        counter[0] = None
    return field

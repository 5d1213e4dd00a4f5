"""`string.Formatter`, not derived from the library's: attributes in fields go through the guard."""

from __future__ import annotations

import _string  # type: ignore[import-not-found]  # what string.Formatter is made of
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langserver.python_runtime import guards
from langserver.python_runtime.formatting import MAX_NESTING, convert


class Formatter:
    """Each step is a method that a class of the program may replace."""

    def format(self, format_string: str, /, *args: Any, **kwargs: Any) -> str:
        """Formats like `str.format`."""
        return self.vformat(format_string, args, kwargs)

    def vformat(self, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Formats with a sequence and a mapping."""
        fields = _Fields(self, args, kwargs)
        made = fields.render(format_string, MAX_NESTING)
        self.check_unused_args(fields.used, args, kwargs)
        return made

    def parse(self, format_string: str) -> Iterable[tuple[str, str | None, str | None, str | None]]:
        """Literal text, field name, format and conversion, again and again."""
        parts: Iterable[tuple[str, str | None, str | None, str | None]] = _string.formatter_parser(format_string)
        return parts

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, int | str]:
        """The object of a field such as `0.name` or `row[key]`, and the first part of its name."""
        first, rest = _string.formatter_field_name_split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, name in rest:
            value = guards.load(value, guards.exact(name)) if is_attribute else value[name]
        return value, first

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The argument of that number or name."""
        return args[key] if isinstance(key, int) else kwargs[key]

    def check_unused_args(self, used_args: set[int | str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """For classes of the program: may raise for arguments that no field used."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """`format(value, format_spec)`."""
        return format(value, format_spec)

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        """Applies `!r`, `!s` or `!a`."""
        return convert(value, conversion)


class _Fields:
    """The fields of one call of `vformat`: which arguments they used, and how they are numbered."""

    def __init__(self, formatter: Formatter, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._formatter, self._args, self._kwargs = formatter, args, kwargs
        self._next: int | None = 0
        self.used: set[int | str] = set()

    def render(self, template: str, nesting: int) -> str:
        if nesting < 0:
            raise ValueError("Max string recursion exceeded")
        formatter, parts = self._formatter, []
        for text, field, spec, conversion in formatter.parse(template):
            if text:
                parts.append(text)
            if field is None:
                continue
            value, key = formatter.get_field(self._numbered(field), self._args, self._kwargs)
            self.used.add(key)
            value = formatter.convert_field(value, conversion)
            parts.append(formatter.format_field(value, self.render(spec or "", nesting - 1)))
        return "".join(parts)

    def _numbered(self, field: str) -> str:
        if field == "":
            if self._next is None:
                raise ValueError("cannot switch from manual field specification to automatic field numbering")
            self._next += 1
            return str(self._next - 1)
        if field.isdigit():
            if self._next:
                raise ValueError("cannot switch from manual field specification to automatic field numbering")
            self._next = None
        return field

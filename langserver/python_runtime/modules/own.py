"""The names that are written anew, by module."""

from __future__ import annotations

import abc
import csv
import decimal
import sys
import textwrap
from collections import UserString, defaultdict
from typing import Any

from langserver.python_runtime import guards
from langserver.python_runtime.faces import SafeABCMeta, SafeEnumMeta
from langserver.python_runtime.modules import (
    asynchronous,
    copying,
    functional,
    loggers,
    loglines,
    printing,
    records,
    reporting,
    templates,
    warners,
)


def _userstring(value: Any) -> str:
    return str(value.data if isinstance(value, UserString) else value)


guards.TEMPLATE_METHODS[UserString.format] = _userstring
guards.TEMPLATE_METHODS[UserString.format_map] = _userstring
_WRAPPER_OPTIONS = """
    width initial_indent subsequent_indent expand_tabs replace_whitespace fix_sentence_endings break_long_words
    drop_whitespace break_on_hyphens tabsize max_lines placeholder
"""
guards.WRITABLE.update(dict.fromkeys(loggers.HANDLERS, frozenset({"formatter", "level", "stream", "terminator"})))
guards.WRITABLE.update(
    {
        csv.DictReader: frozenset({"fieldnames", "restkey", "restval"}),
        defaultdict: frozenset({"default_factory"}),
        decimal.Context: frozenset({"prec", "rounding", "Emin", "Emax", "capitals", "clamp"}),
        loggers.Logger: frozenset({"disabled", "handlers", "level", "propagate"}),
        loglines.Formatter: frozenset({"datefmt"}),
        loglines.LogRecord: frozenset({"args", "exc_info", "exc_text", "levelname", "message", "msg"}),
        textwrap.TextWrapper: frozenset(_WRAPPER_OPTIONS.split()),
    }
)

_OWN: dict[str, dict[str, Any]] = {
    "abc": {"ABC": abc.ABC, "ABCMeta": SafeABCMeta, "abstractproperty": abc.abstractproperty},
    "asyncio": asynchronous.NAMES,
    "collections": {"namedtuple": records.namedtuple},
    "copy": copying.NAMES | ({"replace": records.copy_replace} if sys.version_info >= (3, 13) else {}),
    "dataclasses": records.DATACLASSES,
    "enum": {"EnumMeta": SafeEnumMeta, "EnumType": SafeEnumMeta},
    "functools": functional.FUNCTOOLS,
    "logging": loggers.NAMES,
    "operator": functional.OPERATOR,
    "pprint": printing.PPRINT,
    "string": {"Formatter": templates.Formatter},
    "traceback": reporting.TRACEBACK,
    "typing": records.TYPING,
    "warnings": warners.NAMES,
}


def own(name: str) -> dict[str, Any]:
    """What `name` has besides its listed names."""
    return _OWN.get(name, {})

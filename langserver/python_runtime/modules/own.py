"""The names that are written anew, by module."""

from __future__ import annotations

import abc
import configparser
import csv
import decimal
import textwrap
import zipfile
from collections import UserString, defaultdict
from typing import Any

from langserver.python_runtime import guards, zonedata
from langserver.python_runtime.faces import SafeABCMeta, SafeEnumMeta
from langserver.python_runtime.modules import (
    abstract,
    adapters,
    archives,
    asynchronous,
    caches,
    clocks,
    copying,
    deprecations,
    elements,
    formats,
    functional,
    identity,
    loggers,
    loglines,
    overloads,
    packed,
    printing,
    queues,
    records,
    reporting,
    standins,
    system,
    tables,
    templates,
    typehints,
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
        adapters.LoggerAdapter: frozenset({"extra", "logger"}),
        configparser.ConfigParser: frozenset({"optionxform"}),
        configparser.RawConfigParser: frozenset({"optionxform"}),
        csv.DictReader: frozenset({"fieldnames", "restkey", "restval"}),
        defaultdict: frozenset({"default_factory"}),
        decimal.Context: frozenset({"prec", "rounding", "Emin", "Emax", "capitals", "clamp"}),
        loggers.Logger: frozenset({"disabled", "handlers", "level", "propagate"}),
        loglines.Formatter: frozenset({"datefmt"}),
        loglines.LogRecord: frozenset({"args", "exc_info", "exc_text", "levelname", "message", "msg"}),
        textwrap.TextWrapper: frozenset(_WRAPPER_OPTIONS.split()),
        archives.ZipFile: frozenset({"comment"}),
        zipfile.ZipInfo: archives.WRITABLE,
    }
)

_OWN: dict[str, dict[str, Any]] = {
    "abc": {"ABC": abc.ABC, "ABCMeta": SafeABCMeta, "abstractproperty": abc.abstractproperty} | abstract.NAMES,
    "asyncio": asynchronous.NAMES,
    "asyncio.exceptions": asynchronous.EXCEPTIONS,
    "bz2": packed.BZ2,
    "collections": {"namedtuple": records.namedtuple},
    "configparser": standins.CONFIGPARSER,
    "contextlib": printing.CONTEXTLIB,
    "copy": copying.NAMES | records.COPY,
    "dataclasses": records.DATACLASSES | standins.DATACLASSES,
    "enum": standins.ENUM | {"EnumMeta": SafeEnumMeta, "EnumType": SafeEnumMeta},
    "functools": functional.FUNCTOOLS | caches.NAMES,
    "gzip": packed.GZIP,
    "html.entities": tables.ENTITIES,
    "io": packed.IO,
    "logging": loggers.NAMES | adapters.NAMES,
    "lzma": packed.LZMA,
    "mimetypes": tables.MIMETYPES,
    "operator": functional.OPERATOR,
    "pprint": printing.PPRINT,
    "queue": queues.NAMES,
    "string": {"Formatter": templates.Formatter},
    "struct": formats.STRUCT,
    "sys": system.NAMES,
    "time": clocks.NAMES,
    "traceback": reporting.TRACEBACK,
    "types": standins.TYPES,
    "typing": records.TYPING | standins.TYPING | overloads.NAMES | {"get_type_hints": typehints.get_type_hints},
    "uuid": identity.NAMES,
    "warnings": warners.NAMES | deprecations.NAMES,
    "zipfile": archives.NAMES,
    "zoneinfo": zonedata.NAMES,
}


def own(name: str) -> dict[str, Any]:
    """What `name` has besides its listed names."""
    if name == "xml.etree.ElementTree":
        return elements.names()
    return _OWN.get(name, {})

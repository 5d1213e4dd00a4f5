"""`configparser`: converters become methods whose names are data, on a parser and on whatever it says its sections are.

A parser of the program's may say that a class of the library is one, and a key may be anything with `get` before it.
"""

from __future__ import annotations

import configparser
import functools
from contextlib import suppress
from typing import Any, Final

from langserver.python_runtime.guards import check_write, load
from langserver.python_runtime.names import exact
from langserver.python_runtime.refusals import RefusedReceiver
from langserver.python_runtime.userclasses import USER

_HOLDERS: Final = (configparser.RawConfigParser, configparser.ConfigParser, configparser.SectionProxy)


def harden() -> None:
    """In the zygote, once."""
    mapping: Any = configparser.ConverterMapping
    section: Any = configparser.SectionProxy
    mapping.__setitem__, mapping.__delitem__, section.__init__ = _add, _remove, _make_section


def _add(self: Any, key: Any, value: Any) -> None:
    if not issubclass(type(key), str) or not key:
        raise ValueError(f"Incompatible key: {key!r} (type: {type(key)})")
    name = _method(key)
    self._data[key] = value
    parser = self._parser
    convert: Any = functools.partial(parser._get_conv, conv=value)
    convert.converter = value
    setattr(_holder(parser, name), name, convert)
    for section in parser.values():
        setattr(_holder(section, name), name, functools.partial(section.get, _impl=convert))


def _remove(self: Any, key: Any) -> None:
    if not issubclass(type(key), str) or not key:
        raise KeyError(key)
    name = _method(key)
    del self._data[key]
    for each in (self._parser, *self._parser.values()):
        with suppress(AttributeError):
            delattr(_holder(each, name), name)


def _make_section(self: Any, parser: Any, name: Any) -> None:
    self._parser = parser
    self._name = name
    for conversion in parser.converters:
        key = _method(conversion)
        setattr(self, key, functools.partial(self.get, _impl=load(parser, key)))


def _method(key: Any) -> str:
    return f"get{exact(key)}"


def _holder(value: Any, name: str) -> Any:
    """`value` when a method may be put on it. Raises RefusedAttribute, RefusedReceiver."""
    if type(value) in USER:
        check_write(value, name)
    elif type(value) not in _HOLDERS:
        raise RefusedReceiver("a parser may hold sections of configparser only")
    return value

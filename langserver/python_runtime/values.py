"""A program's result as JSON, trusting nothing that its classes say of themselves."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import math
import re
import sys
import types
import uuid
from collections.abc import Callable, Iterable
from json.encoder import encode_basestring
from typing import Any, Final

from langserver.python_runtime.faces import Face
from langserver.python_runtime.guards import load
from langserver.python_runtime.modules import asynchronous
from langserver.python_runtime.modules.facade import Facade
from langserver.python_runtime.tracebacks import name_of
from langserver.python_runtime.userclasses import USER, mro_of, namespace_of

MAX_DEPTH = 200
_KEY_SHOWN = 40
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class NotJson(Exception):
    """The result cannot be JSON; the text names the path to the culprit, `hint` says what to write (may be empty)."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.hint = hint


class TooLarge(Exception):
    """The result's JSON is over its limit; the text says so with both sizes."""


def to_json(value: Any, limit: int) -> bytes:
    """The JSON of `value` in UTF-8, at most `limit` bytes. Raises NotJson or TooLarge (before much more is built)."""
    sys.set_int_max_str_digits(0)
    writer = Writer(limit)
    writer.write(value, "result")
    return writer.finish()


class Writer:
    """Writes one result, at most `limit` bytes of it."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._parts: list[str] = []
        self._open: set[int] = set()

    def finish(self) -> bytes:
        """The whole of it."""
        data = "".join(self._parts).encode()
        if len(data) > self._limit:
            raise TooLarge(f"the result is {len(data)} bytes of JSON; the limit is {self._limit}")
        return data

    def write(self, value: Any, path: str) -> None:
        """Writes `value`, which stands at `path`. Raises NotJson, TooLarge."""
        kind = type(value)
        write = _WRITERS.get(kind)
        if write is None:
            write = _writer_for(kind)
        if write is None:
            raise NotJson(f"{path} is {_described(kind)}, which is not JSON", _advice(kind))
        try:
            write(self, value, path)
        except (NotJson, TooLarge, MemoryError):
            raise
        except RecursionError:
            raise NotJson(f"{path} is nested too deeply") from None
        except BaseException as error:  # noqa: BLE001 -- a class of the program may raise anything
            raise NotJson(f"{path} could not be read: {name_of(type(error))}") from None

    def text(self, text: str) -> None:
        """Writes JSON."""
        self._size += len(text)
        if self._size > self._limit:
            raise TooLarge(f"the result is over {self._size} bytes of JSON; the limit is {self._limit}")
        self._parts.append(text)

    def string(self, value: str) -> None:
        """Writes a string."""
        if len(value) > self._limit:
            self._size += len(value)
            raise TooLarge(f"the result is over {self._size} bytes of JSON; the limit is {self._limit}")
        self.text(_quoted(value))

    def array(self, value: Any, items: Iterable[Any], path: str) -> None:
        """Writes `items`, which are those of `value`."""
        self._enter(value, path)
        self.text("[")
        for index, item in enumerate(items):
            if index:
                self.text(",")
            self.write(item, f"{path}[{index}]")
        self.text("]")
        self._open.discard(id(value))

    def object(self, value: Any, items: Iterable[tuple[Any, Any]], path: str) -> None:
        """Writes `items`, keys and values, which are those of `value`."""
        self._enter(value, path)
        self.text("{")
        first = True
        for key, item in items:
            name = _key(key, path)
            if not first:
                self.text(",")
            first = False
            self.string(name)
            self.text(":")
            self.write(item, _step(path, name))
        self.text("}")
        self._open.discard(id(value))

    def _enter(self, value: Any, path: str) -> None:
        if id(value) in self._open:
            raise NotJson(f"{path} contains itself")
        if len(self._open) >= MAX_DEPTH:
            raise NotJson(f"{path[:200]} is nested over {MAX_DEPTH} levels")
        self._open.add(id(value))


def _quoted(value: str) -> str:
    # A lone surrogate has a JSON escape but means no character: strict readers refuse it (RFC 8259, section 8.2).
    return encode_basestring(value if value.isascii() else _LONE_SURROGATE.sub("\ufffd", value))


def _step(path: str, name: str) -> str:
    if name.isidentifier() and len(name) <= _KEY_SHOWN:
        return f"{path}.{name}"
    shown = name if len(name) <= _KEY_SHOWN else name[:_KEY_SHOWN] + "..."
    return f"{path}[{_quoted(shown)}]"


def _key(key: Any, path: str) -> str:
    kind = type(key)
    if kind is str:
        return key  # type: ignore[no-any-return]
    if issubclass(kind, enum.Enum):
        return _key(object.__getattribute__(key, "_value_"), path)
    if issubclass(kind, str):
        return str.__str__(key)
    if key is None or kind is bool:
        return {None: "null", True: "true", False: "false"}[key]
    if issubclass(kind, int):
        return int.__repr__(key)
    if issubclass(kind, float):
        return _number(key, f"a key of {path}")
    if kind in _KEYS:
        return _key(_KEYS[kind](key), path)
    raise NotJson(f"a key of {path} is {_described(kind)}; JSON keys are strings or numbers", "use str(key)")


def _number(value: float, path: str) -> str:
    plain = float.__float__(value)
    if not math.isfinite(plain):
        raise NotJson(f"{path} is {float.__repr__(plain)}, which is not JSON", "use None where there is no number")
    return float.__repr__(plain)


def _described(kind: type) -> str:
    if issubclass(kind, Facade):
        return "a module"
    if issubclass(kind, type) or kind is Face:
        return "a class"
    name = name_of(kind)
    if kind in _PLURALS:
        return name
    vowel = name[:1].lower() in "aeiou" and not _SOUNDS_LIKE_YOU.match(name)
    return f"{'an' if vowel else 'a'} {name}"


_PLURALS: Final = frozenset(map(type, (b"", {}.keys(), {}.values(), {}.items())))
_SOUNDS_LIKE_YOU: Final = re.compile("u(s[aei]|ni[^nm]|til|rl|uid)", re.IGNORECASE)
# What to write instead, by class.
_ADVICE: Final[list[tuple[tuple[type, ...], str]]] = [
    ((bytes, bytearray, memoryview), "decode it, or use base64"),
    ((datetime.timedelta,), "use its total_seconds()"),
    ((types.CoroutineType, asynchronous.Future), "await it"),
    ((types.AsyncGeneratorType,), "make a list of it with [x async for x in ...]"),
    ((types.FunctionType, types.BuiltinFunctionType, types.MethodType), "call it"),
    ((complex,), "use [z.real, z.imag], or str(z)"),
    ((BaseException,), "use str(...) of it"),
]
# Other classes that may be keys, and what makes one of them a plain key.
_KEYS: Final[dict[type, Callable[[Any], Any]]] = {}


def _advice(kind: type) -> str:
    for classes, advice in _ADVICE:
        if issubclass(kind, classes):
            return advice
    if hasattr(kind, "__next__") or kind in (range, *_PLURALS):
        return "make a list of it with list(...)"
    if hasattr(kind, "__iter__"):
        return "convert it with list(...) or dict(...)"
    return ""


def _set(writer: Writer, value: Any, path: str) -> None:
    items = list(set.__iter__(value) if issubclass(type(value), set) else frozenset.__iter__(value))
    try:
        items = sorted(items)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001, S110 -- items that do not compare keep their own order
        pass
    writer.array(value, items, path)


def _enum(writer: Writer, value: Any, path: str) -> None:
    writer.write(object.__getattribute__(value, "_value_"), path)


def _dataclass(writer: Writer, value: Any, path: str) -> None:
    fields: dict[str, Any] = next(
        namespace_of(base)["__dataclass_fields__"]
        for base in mro_of(type(value))
        if "__dataclass_fields__" in namespace_of(base)
    )
    names = [name for name, field in dict.items(fields) if getattr(field, "_field_type", None) is _FIELD]
    read = load if type(value) in USER else getattr  # a metaclass of the program may have put any name there
    writer.object(value, ((name, read(value, name)) for name in names), path)


_FIELD = dataclasses.fields(dataclasses.make_dataclass("_Probe", ["x"]))[0]._field_type  # type: ignore[attr-defined]

Write = Callable[[Writer, Any, str], None]

# By class, in the order in which a subclass is recognised; the methods are the classes' own, never the object's.
_WRITERS: Final[dict[type, Write]] = {
    type(None): lambda writer, value, path: writer.text("null"),
    bool: lambda writer, value, path: writer.text("true" if value else "false"),
    enum.Enum: _enum,
    str: lambda writer, value, path: writer.string(str.__str__(value)),
    int: lambda writer, value, path: writer.text(int.__repr__(value)),
    float: lambda writer, value, path: writer.text(_number(value, path)),
    dict: lambda writer, value, path: writer.object(value, dict.items(value), path),
    list: lambda writer, value, path: writer.array(value, list.__iter__(value), path),
    tuple: lambda writer, value, path: writer.array(value, tuple.__iter__(value), path),
    set: _set,
    frozenset: _set,
    datetime.datetime: lambda writer, value, path: writer.string(datetime.datetime.isoformat(value)),
    datetime.date: lambda writer, value, path: writer.string(datetime.date.isoformat(value)),
    datetime.time: lambda writer, value, path: writer.string(datetime.time.isoformat(value)),
    decimal.Decimal: lambda writer, value, path: writer.string(decimal.Decimal.__str__(value)),
    uuid.UUID: lambda writer, value, path: writer.string(uuid.UUID.__str__(value)),
}


def register(
    writers: dict[type, Write], advice: Iterable[tuple[tuple[type, ...], str]], keys: dict[type, Callable[[Any], Any]]
) -> None:
    """In the zygote: adds classes that a result may hold, what to say of others, and classes of keys.

    They go before what was there: a class of a package may derive from one of the library's.
    """
    known = dict(_WRITERS)
    _WRITERS.clear()
    _WRITERS.update(writers | known)
    _ADVICE[:0] = advice
    _KEYS.update(keys)


def _writer_for(kind: type) -> Write | None:
    order = mro_of(kind)
    for base, write in _WRITERS.items():
        if base in order:
            return write
    if any("__dataclass_fields__" in namespace_of(base) for base in order):
        return _dataclass
    return None

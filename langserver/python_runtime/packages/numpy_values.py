"""numpy's values in a result: scalars as numbers, text or ISO 8601, arrays as lists, records as objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from langserver.python_runtime import values
from langserver.python_runtime.values import NotJson, Write, Writer

_CHUNK: Final = 4096  # what is over the limit is not made whole first
# Of nanoseconds what Python's own dates show: nothing where they are zero, else six or nine digits.
_SPARE_DIGITS: Final = re.compile(r"(?<=:\d\d)\.0+$|(?<=\.\d{6})000$")
# Kinds of elements that `tolist` makes plain numbers or tuples of: dates, durations, records (numpy.dtype.kind).
_KEPT_KINDS: Final = "MmV"


def register(np: Any) -> None:
    """Adds them to what a result may hold. `np` is the module."""
    masked_array = np.ma.MaskedArray
    plain = _array(np.ndarray)  # a row of a matrix is a matrix, and what derives from it may do anything
    writers: dict[type, Write] = {
        np.ma.core.MaskedConstant: lambda writer, value, path: writer.write(None, path),
        np.ma.mvoid: _record(np.ma.mvoid),
        masked_array: _array(masked_array),
        np.ndarray: lambda writer, value, path: plain(writer, np.ndarray.view(value, np.ndarray), path),
        np.bool_: lambda writer, value, path: writer.write(bool(value), path),
        np.str_: lambda writer, value, path: writer.write(str.__str__(value), path),
        np.datetime64: _date(np),
        np.record: _record(np.void),
        np.void: _record(np.void),
        np.timedelta64: _no_duration,  # an integer to numpy
        np.integer: _integer,
        np.floating: _float,
    }
    scalars = {cls for cls in np.sctypeDict.values() if issubclass(cls, (np.integer, np.floating))} - {np.timedelta64}
    writers |= {cls: _integer if issubclass(cls, np.integer) else _float for cls in scalars}
    keys: dict[type, Callable[[Any], Any]] = {cls: int for cls in scalars if issubclass(cls, np.integer)}
    keys |= {cls: float for cls in scalars if issubclass(cls, np.floating)}
    keys[np.bool_] = bool
    values.register(writers, [((np.complexfloating,), "use [z.real, z.imag], or str(z)")], keys)


def _integer(writer: Writer, value: Any, path: str) -> None:
    writer.write(int(value), path)


def _float(writer: Writer, value: Any, path: str) -> None:
    writer.write(float(value), path)  # of a long double the nearest one


def _no_duration(writer: Writer, value: Any, path: str) -> None:
    raise NotJson(f"{path} is a timedelta64, which is not JSON", 'divide it by np.timedelta64(1, "s")')


def _array(cls: Any) -> Write:
    """Of arrays of this class: its own methods read them, whatever a class of the program says."""
    shape_of, kind_of, item_of = cls.shape.__get__, cls.dtype.__get__, cls.__getitem__

    def write(writer: Writer, value: Any, path: str) -> None:
        shape = shape_of(value)
        if not shape:
            writer.write(item_of(value, ()), path)
        elif len(shape) > 1 or kind_of(value).kind in _KEPT_KINDS:
            writer.array(value, (item_of(value, place) for place in range(shape[0])), path)
        else:
            writer.array(value, _in_chunks(cls, value, shape[0]), path)

    return write


def _in_chunks(cls: Any, value: Any, length: int) -> Iterator[Any]:
    for start in range(0, length, _CHUNK):
        yield from cls.tolist(cls.__getitem__(value, slice(start, start + _CHUNK)))


def _date(np: Any) -> Write:
    def write(writer: Writer, value: Any, path: str) -> None:
        text = None if np.isnat(value) else _SPARE_DIGITS.sub("", str(np.datetime_as_string(value)))
        writer.write(text, path)

    return write


def _record(cls: Any) -> Write:
    def write(writer: Writer, value: Any, path: str) -> None:
        names = value.dtype.names
        if names is None:
            raise NotJson(f"{path} is raw bytes, which is not JSON", "decode it, or use base64")
        writer.object(value, ((name, cls.__getitem__(value, name)) for name in names), path)

    return write

"""Log lines: what a record becomes, for people or for programs, and a handler that never waits for its reader.

What is logged may hold names that strangers chose. Whatever they hold, a record is one line (a traceback's further
lines are indented), it steers no terminal, and it has at most LINE_BYTES. An error that nobody expected is told by its
kind and its place: its words may be made of what a task or a caller sent, as those of `int("...")` are.
"""

from __future__ import annotations

import json
import logging
import os
import re
import select
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, TextIO, TypeAlias

FORMATS: Final = ("console", "json")
LEVELS: Final = ("debug", "info", "warning", "error")
# A pipe takes so much in one piece, or says before that it does not (pipe(7), PIPE_BUF).
LINE_BYTES: Final = 4096

_MESSAGE_BYTES: Final = 1200
_FIELD_BYTES: Final = 200
_TRACE_BYTES: Final = 1200
_LONGER: Final = {"message": _MESSAGE_BYTES, "exception": 2 * _TRACE_BYTES}
# Line ends, what moves or colours a terminal, and what turns the direction of writing.
_STEERING: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

Value: TypeAlias = "str | int | float | bool | None"


def fields(**values: Value) -> dict[str, dict[str, Value]]:
    """`extra=fields(task_id=...)` of a log call: what programs read. Empty ones are left out."""
    return {"fields": {name: value for name, value in values.items() if value not in ("", None)}}


def set_up(stream: TextIO, format_: str, level: str, *filters: Callable[[logging.LogRecord], bool]) -> None:
    """Lines on `stream`, from `level` on where a logger has no level of its own."""
    handler = Lines(stream)
    handler.setFormatter(Json() if format_ == "json" else Console())
    handler.addFilter(_without_reprs)
    for one in filters:
        handler.addFilter(one)
    # Nobody asks a line for its thread or process, and each record would look them up.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.basicConfig(level=level.upper(), handlers=[handler])


class Lines(logging.Handler):
    """Writes to a descriptor when it takes something; what it does not take is left out, and counted.

    A reader who is slow or stopped would otherwise stop the event loop, and with it every call.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self._left_out = 0
        self._descriptor = -1
        with suppress(OSError, ValueError, AttributeError):  # a stream in memory
            self._descriptor = stream.fileno()
        self._room = select.poll()
        if self._descriptor >= 0:
            self._room.register(self._descriptor, select.POLLOUT)

    def emit(self, record: logging.LogRecord) -> None:
        """See logging.Handler. Raises nothing."""
        try:
            line = self.format(record)
        except Exception as error:  # noqa: BLE001 - logging ends no call
            line = f"a log line of {record.name} could not be made: {type(error).__name__}"
        if self._left_out and self._write(self.format(_told(self._left_out))):
            self._left_out = 0
        if not self._write(line):
            self._left_out += 1

    def _write(self, line: str) -> bool:
        if self._descriptor < 0:
            self._stream.write(f"{line}\n")
            self._stream.flush()
            return True
        if not any(events & select.POLLOUT for _, events in self._room.poll(0)):
            return False
        try:
            os.write(self._descriptor, line.encode("utf-8", "backslashreplace")[: LINE_BYTES - 1] + b"\n")
        except OSError:  # its reader is gone, or the disk is full
            return False
        return True


class Console(logging.Formatter):
    """For people: `TIME LEVEL LOGGER: message name=value ...`, and tracebacks indented."""

    def format(self, record: logging.LogRecord) -> str:
        """See logging.Formatter."""
        message = _within(_plain(record.getMessage()), _MESSAGE_BYTES)
        told = "".join(
            f" {name}={_quoted(value) if isinstance(value, str) else value}" for name, value in _fields(record).items()
        )
        line = f"{self.formatTime(record)} {record.levelname} {record.name}: {message}{told}"
        trace = _trace(record)
        return "\n    ".join([line, *(_plain(part) for part in trace.splitlines())]) if trace else line


class Json(logging.Formatter):
    """For programs: one object a line. `time` is UTC (RFC 3339); a traceback is `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        """See logging.Formatter."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        parts: dict[str, Any] = {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        parts |= _fields(record)
        if trace := _trace(record):
            parts["exception"] = trace
        line = json.dumps(parts)
        if len(line) < LINE_BYTES:
            return line
        short = {name: _cut(value, _LONGER.get(name, _FIELD_BYTES)) for name, value in parts.items()}
        while len(line := json.dumps(short)) >= LINE_BYTES:
            short.popitem()
        return line


def _fields(record: logging.LogRecord) -> Mapping[str, Any]:
    found: Mapping[str, Any] = getattr(record, "fields", {})
    return found


def _quoted(text: str) -> str:
    """JSON in ASCII: nothing in it steers anything."""
    return json.dumps(_cut(text, _FIELD_BYTES))


def _cut(value: Any, most: int) -> Any:
    """A text whose JSON is no longer; other values as they are."""
    if not isinstance(value, str):
        return value
    text = value[:most]
    while len(encoded := json.dumps(text)) > most:
        text = text[: len(text) * most // len(encoded)]
    return text


def _plain(text: str) -> str:
    return _STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _within(text: str, most: int) -> str:
    data = text.encode("utf-8", "backslashreplace")
    return text if len(data) <= most else data[:most].decode("utf-8", "ignore") + "..."


def _without_reprs(record: logging.LogRecord) -> bool:
    """asyncio's reports begin with words of its own; then come callbacks' arguments, and futures with their errors."""
    if record.name == "asyncio":
        record.msg, record.args = record.getMessage().partition("\n")[0].partition("(")[0], ()
    return True


def _trace(record: logging.LogRecord) -> str:
    """The last of a traceback, which says most."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return ""
    text = "\n".join(_places(error))
    return text if len(text) <= _TRACE_BYTES else "..." + text[-_TRACE_BYTES:]


def _places(error: BaseException) -> list[str]:
    """Where it was raised, and before it what it came from."""
    chain: list[BaseException] = []
    last: BaseException | None = error
    while last is not None and not any(last is one for one in chain):
        chain.append(last)
        last = last.__cause__ or (None if last.__suppress_context__ else last.__context__)
    lines: list[str] = []
    for one in reversed(chain):
        lines += [part.rstrip("\n") for part in traceback.format_tb(one.__traceback__)]
        lines.append(_kind(one))
    return lines


def _kind(error: BaseException) -> str:
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(number, int):
        return f"{name}: {os.strerror(number)}"
    if isinstance(error, BaseExceptionGroup):
        return f"{name} of {', '.join(_kind(one) for one in error.exceptions)}"
    return name


def _told(count: int) -> logging.LogRecord:
    text = "%d log lines before were left out: they were not read quickly enough"
    return logging.LogRecord(__name__, logging.WARNING, "", 0, text, (count,), None)

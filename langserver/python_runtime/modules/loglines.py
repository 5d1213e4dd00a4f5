"""Records, formats and filters of `logging`, written anew: a format names attributes of a record, nothing else."""

from __future__ import annotations

import sys
import time
from typing import Any

from langserver.python_runtime import sources
from langserver.python_runtime.faces import class_of
from langserver.python_runtime.refusals import RefusedCall
from langserver.python_runtime.tracebacks import render_exception

DEBUG, INFO, WARNING, ERROR, CRITICAL = 10, 20, 30, 40, 50
LEVELS = {"NOTSET": 0, "DEBUG": DEBUG, "INFO": INFO, "WARNING": WARNING, "ERROR": ERROR, "CRITICAL": CRITICAL}
LEVELS |= {"WARN": WARNING, "FATAL": CRITICAL}
_NAMES = {number: name for name, number in reversed(LEVELS.items())}


def number_of(level: Any) -> int:
    """A level given as a number or by name. Raises ValueError."""
    if isinstance(level, int):
        return level
    if level not in LEVELS:
        raise ValueError(f"Unknown level: {level!r}")
    return LEVELS[level]


def get_level_name(level: Any) -> Any:
    """`logging.getLevelName`: the name of a number, or the number of a name."""
    return _NAMES.get(level) or LEVELS.get(level, f"Level {level}")


def add_level_name(level: int, level_name: str) -> None:
    """`logging.addLevelName`."""
    _NAMES[level] = level_name
    LEVELS[level_name] = level


class LogRecord:
    """One event. Its attributes are what a format may name."""

    def __init__(self, name: str, level: int, msg: Any, args: Any, *, exc_info: Any = None, extra: Any = None) -> None:
        now = time.time()
        self.name = name
        self.msg = msg
        # As in the library: one dictionary as the only argument is for formats with names.
        self.args = args[0] if len(args) == 1 and isinstance(args[0], dict) and args[0] else args
        self.levelno = level
        self.levelname = get_level_name(level)
        self.created = now
        self.msecs = int(now % 1 * 1000)
        self.lineno, self.funcName = sources.place_now()
        self.filename = self.pathname = sources.label()
        self.module = self.filename.rpartition("/")[2].partition(".")[0]
        self.process = self.thread = 0
        self.processName, self.threadName = "MainProcess", "MainThread"
        error = _exception(exc_info)
        self.exc_info = None if error is None else (class_of(error), error, error.__traceback__)
        self.exc_text = "" if error is None else render_exception(error).rstrip()
        self.message = ""
        self.asctime = ""
        for key, value in dict(extra or {}).items():
            if type(key) is not str or key in vars(self):
                raise KeyError(f"Attempt to overwrite {key!r} in LogRecord")
            vars(self)[key] = value

    def getMessage(self) -> str:
        """The text with its arguments."""
        text = str(self.msg)
        return text % self.args if self.args else text


def _exception(exc_info: Any) -> BaseException | None:
    if not exc_info:
        return None
    error = exc_info[1] if type(exc_info) is tuple and len(exc_info) == 3 else exc_info
    return error if issubclass(type(error), BaseException) else sys.exception()


class Formatter:
    """`logging.Formatter` with the `%` style: a format names attributes of the record, and reaches no further."""

    def __init__(
        self, fmt: str | None = None, datefmt: str | None = None, style: str = "%", validate: bool = True, **_: Any
    ) -> None:
        if style != "%":
            raise RefusedCall(f"the format style {style!r} is not available", "use the % style, as in %(message)s")
        if fmt is not None and not isinstance(fmt, str):
            raise TypeError("a format must be a string")
        self.fmt = "%(message)s" if fmt is None else fmt
        self.datefmt = datefmt

    def formatTime(self, record: LogRecord, datefmt: str | None = None) -> str:
        """The record's time in the task's zone."""
        _check(record)
        then = time.localtime(record.created)
        if datefmt:
            return time.strftime(datefmt, then)
        return f"{time.strftime('%Y-%m-%d %H:%M:%S', then)},{record.msecs:03d}"

    def formatException(self, ei: Any) -> str:
        """The traceback of an exception, or of the one in an `exc_info`."""
        error = _exception(ei)
        return "" if error is None else render_exception(error).rstrip()

    def format(self, record: LogRecord) -> str:
        """The line of a record, with the traceback of its exception below."""
        _check(record)
        record.message = record.getMessage()
        record.asctime = self.formatTime(record, self.datefmt)
        line = self.fmt % vars(record)
        return f"{line}\n{record.exc_text}" if record.exc_text else line


def _check(record: Any) -> None:
    # Called unbound, a formatter would else write its texts into whatever object it is given.
    if type(record) is not LogRecord:
        raise TypeError("a LogRecord is needed")


class Filter:
    """`logging.Filter`: loggers of one name and below."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def filter(self, record: LogRecord) -> Any:
        """Whether a record passes."""
        return not self.name or f"{record.name}.".startswith(f"{self.name}.")

"""logging, warnings and traceback: to the log, never through the library's, which open files and show frames."""

from __future__ import annotations

import time
from typing import Any

from langserver.python_runtime.errors import render_current, render_exception
from langserver.python_runtime.logs import STDERR

DEBUG, INFO, WARNING, ERROR, CRITICAL = 10, 20, 30, 40, 50
_LEVELS = {"NOTSET": 0, "DEBUG": DEBUG, "INFO": INFO, "WARNING": WARNING, "ERROR": ERROR, "CRITICAL": CRITICAL}
_NAMES = {number: name for name, number in _LEVELS.items()}


class _Settings:
    level = WARNING
    format = "%(levelname)s:%(name)s:%(message)s"
    datefmt: str | None = None


def _number(level: Any) -> int:
    return level if isinstance(level, int) else _LEVELS[level]


class Logger:
    """A logger whose lines go to the log as stderr."""

    def __init__(self, name: str, level: int = 0) -> None:
        self.name = str(name)
        self.level = level
        self.disabled = False
        self.propagate = True

    def setLevel(self, level: Any) -> None:
        """Lines below `level` are dropped."""
        self.level = _number(level)

    def getEffectiveLevel(self) -> int:
        """The level in force."""
        return self.level or _Settings.level

    def isEnabledFor(self, level: int) -> bool:
        """Whether a line of this level is shown."""
        return not self.disabled and level >= self.getEffectiveLevel()

    def log(self, level: int, msg: Any, *args: Any, exc_info: Any = None, **_: Any) -> None:
        """One line at `level`."""
        if not self.isEnabledFor(level):
            return
        message = str(msg)
        if args:
            message = message % (args[0] if len(args) == 1 and isinstance(args[0], dict) and args[0] else args)
        now = time.time()
        clock = time.strftime(_Settings.datefmt or "%Y-%m-%d %H:%M:%S", time.localtime(now))
        if _Settings.datefmt is None:
            clock += f",{int(now % 1 * 1000):03d}"
        record = {
            "message": message,
            "name": self.name,
            "levelname": _NAMES.get(level, f"Level {level}"),
            "asctime": clock,
        }
        record |= {"levelno": level, "created": now, "msecs": now % 1 * 1000, "module": "task", "filename": "task"}  # type: ignore[dict-item]
        record |= {"funcName": "", "lineno": 0, "process": 0, "thread": 0, "threadName": "MainThread", "pathname": ""}  # type: ignore[dict-item]
        try:
            line = _Settings.format % record
        except (KeyError, ValueError, TypeError):
            line = f"{record['levelname']}:{self.name}:{message}"
        if exc_info:
            line += (
                "\n"
                + (render_exception(exc_info) if isinstance(exc_info, BaseException) else render_current()).rstrip()
            )
        STDERR.write(line + "\n")

    def debug(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One line."""
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One line."""
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One line."""
        self.log(WARNING, msg, *args, **kwargs)

    warn = warning

    def error(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One line."""
        self.log(ERROR, msg, *args, **kwargs)

    def critical(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One line."""
        self.log(CRITICAL, msg, *args, **kwargs)

    fatal = critical

    def exception(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One line and the traceback of the exception being handled."""
        self.log(ERROR, msg, *args, **{"exc_info": True, **kwargs})

    def addHandler(self, handler: Any) -> None:
        """Without effect: there is one place for lines to go."""


_ROOT = Logger("root")
_LOGGERS: dict[str, Logger] = {}


def get_logger(name: str | None = None) -> Logger:
    """The logger of this name."""
    return _LOGGERS.setdefault(name, Logger(name)) if name and name != "root" else _ROOT


def basic_config(*, level: Any = None, format: str | None = None, datefmt: str | None = None, **_: Any) -> None:  # noqa: A002
    """Level and format of all lines."""
    if level is not None:
        _Settings.level = _number(level)
    if format is not None and "%(" in format:
        _Settings.format = str(format)
    _Settings.datefmt = datefmt


class NullHandler:
    """For `logger.addHandler(logging.NullHandler())`."""


LOGGING: dict[str, Any] = {
    **_LEVELS,
    "FATAL": CRITICAL,
    "WARN": WARNING,
    "Logger": Logger,
    "NullHandler": NullHandler,
    "basicConfig": basic_config,
    "getLevelName": lambda level: _NAMES.get(level) or _LEVELS.get(level, f"Level {level}"),
    "getLogger": get_logger,
    "log": _ROOT.log,
    **{name: getattr(_ROOT, name) for name in "debug info warning warn error critical exception".split()},
}


def format_exc(limit: Any = None, chain: bool = True) -> str:
    """`traceback.format_exc`: the program's frames only."""
    return render_current()


def print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
    """`traceback.print_exc`."""
    (STDERR if file is None else file).write(render_current())


def format_exception(
    exc: Any, /, value: Any = None, tb: Any = None, limit: Any = None, chain: bool = True
) -> list[str]:
    """`traceback.format_exception`."""
    error = value if isinstance(value, BaseException) else exc
    return render_exception(error).splitlines(keepends=True)


def print_exception(exc: Any, /, value: Any = None, tb: Any = None, limit: Any = None, file: Any = None) -> None:
    """`traceback.print_exception`."""
    (STDERR if file is None else file).write("".join(format_exception(exc, value)))


def format_exception_only(exc: Any, /, value: Any = None) -> list[str]:
    """`traceback.format_exception_only`."""
    return format_exception(exc, value)[-1:]


TRACEBACK: dict[str, Any] = {
    "format_exc": format_exc,
    "format_exception": format_exception,
    "format_exception_only": format_exception_only,
    "print_exc": print_exc,
    "print_exception": print_exception,
}


def warn(message: Any, category: Any = UserWarning, stacklevel: int = 1, source: Any = None) -> None:
    """`warnings.warn`: a line of the log."""
    name = type(message).__name__ if isinstance(message, Warning) else category.__name__
    if catch_warnings.caught is not None:
        catch_warnings.caught.append(message if isinstance(message, Warning) else category(message))
    else:
        STDERR.write(f"{name}: {message}\n")


def _ignored(*args: Any, **kwargs: Any) -> None:
    """Filters have no effect: every warning is one line of the log."""


class catch_warnings:  # noqa: N801 -- the library's name
    """`warnings.catch_warnings`; with `record` the warnings are collected in a list."""

    caught: list[Warning] | None = None

    def __init__(self, *, record: bool = False, **_: Any) -> None:
        self._record = record

    def __enter__(self) -> list[Warning] | None:
        self._before = catch_warnings.caught
        catch_warnings.caught = [] if self._record else self._before
        return catch_warnings.caught if self._record else None

    def __exit__(self, *_: object) -> None:
        catch_warnings.caught = self._before


WARNINGS: dict[str, Any] = {
    "catch_warnings": catch_warnings,
    "filterwarnings": _ignored,
    "resetwarnings": _ignored,
    "simplefilter": _ignored,
    "warn": warn,
}

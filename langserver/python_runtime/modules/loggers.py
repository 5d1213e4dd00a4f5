"""`logging`, written anew: its lines go to the log or to a stream of the program."""

from __future__ import annotations

from typing import Any

from langserver.python_runtime import guards
from langserver.python_runtime.logs import STDERR
from langserver.python_runtime.modules.bylevel import ByLevel
from langserver.python_runtime.modules.loglines import (
    CRITICAL,
    LEVELS,
    WARNING,
    Filter,
    Formatter,
    LogRecord,
    get_level_name,
    number_of,
)
from langserver.python_runtime.refusals import RefusedCall
from langserver.python_runtime.tracebacks import render_current

_BASIC_FORMAT = "%(levelname)s:%(name)s:%(message)s"


class _Filterer:
    """Common to loggers and handlers."""

    def __init__(self) -> None:
        self.filters: list[Any] = []

    def addFilter(self, filter: Any) -> None:  # noqa: A002 -- the library's name
        """A filter is an object with `filter`, or a function."""
        if filter not in self.filters:
            self.filters.append(filter)

    def removeFilter(self, filter: Any) -> None:  # noqa: A002 -- the library's name
        """Takes it out again."""
        if filter in self.filters:
            self.filters.remove(filter)

    def filter(self, record: LogRecord) -> bool:
        """Whether every filter lets `record` pass."""
        return all(each.filter(record) if hasattr(each, "filter") else each(record) for each in self.filters)


class Handler(_Filterer):
    """`logging.Handler`: a program derives its own from it and defines `emit`."""

    def __init__(self, level: Any = 0) -> None:
        super().__init__()
        self.level = number_of(level)
        self.formatter: Any = None

    def setLevel(self, level: Any) -> None:
        """Records below `level` are dropped."""
        guards.writable(self).level = number_of(level)

    def setFormatter(self, fmt: Any) -> None:
        """How records become text."""
        guards.writable(self).formatter = fmt

    def format(self, record: LogRecord) -> str:
        """A record as text."""
        # Through the guard: a formatter may be any object, also a str, whose `format` reaches attributes.
        text: str = guards.load(self.formatter or _PLAIN, "format")(record)
        return text

    def handle(self, record: LogRecord) -> None:
        """Emits a record that the filters let pass. What goes wrong is a line of the log, as elsewhere."""
        if not self.filter(record):
            return
        try:
            self.emit(record)
        except (MemoryError, RecursionError):
            raise
        except Exception:  # noqa: BLE001 -- formats and handlers are the program's
            STDERR.write(f"--- Logging error ---\n{render_current()}")

    def emit(self, record: LogRecord) -> None:
        """What a handler does with a record."""
        raise NotImplementedError("emit must be implemented by Handler subclasses")

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Nothing is open."""


class _Stderr:
    """The log as a stream of the program: it can be written to, and nothing else."""

    __slots__ = ()

    def write(self, text: str) -> int:
        return STDERR.write(text)

    def flush(self) -> None:
        """Nothing is held back."""


class StreamHandler(Handler):
    """`logging.StreamHandler`: to the log as stderr, or to an object with `write`."""

    terminator = "\n"

    def __init__(self, stream: Any = None) -> None:
        super().__init__()
        self.stream = _Stderr() if stream is None else stream

    def emit(self, record: LogRecord) -> None:
        """Writes a line."""
        # Through the guard: called unbound, `self` may be a str whose `format` reaches attributes.
        self.stream.write(guards.load(self, "format")(record) + self.terminator)


class NullHandler(Handler):
    """`logging.NullHandler`."""

    def emit(self, record: LogRecord) -> None:
        """Says nothing."""


HANDLERS: tuple[type, ...] = (Handler, StreamHandler, NullHandler)


class Logger(_Filterer, ByLevel):
    """`logging.Logger`."""

    def __init__(self, name: str, level: Any = 0, parent: Logger | None = None) -> None:
        super().__init__()
        self.name = str(name)
        self.level = number_of(level)
        self.parent = parent
        self.handlers: list[Any] = []
        self.disabled = False
        self.propagate = True

    def setLevel(self, level: Any) -> None:
        """Records below `level` are dropped."""
        guards.writable(self).level = number_of(level)

    def getEffectiveLevel(self) -> int:
        """The level in force: its own, else its parent's."""
        logger: Logger | None = self
        while logger is not None:
            if logger.level:
                return logger.level
            logger = logger.parent
        return 0

    def isEnabledFor(self, level: int) -> bool:
        """Whether a record of this level is shown."""
        return not self.disabled and level > _State.disabled and level >= self.getEffectiveLevel()

    def getChild(self, suffix: str) -> Logger:
        """The logger below this one."""
        return get_logger(suffix if self.parent is None else f"{self.name}.{suffix}")

    def addHandler(self, hdlr: Any) -> None:
        """Records go to this handler too."""
        if hdlr not in self.handlers:
            self.handlers.append(hdlr)

    def removeHandler(self, hdlr: Any) -> None:
        """Takes it out again."""
        if hdlr in self.handlers:
            self.handlers.remove(hdlr)

    def hasHandlers(self) -> bool:
        """Whether its records would reach a handler."""
        return bool(_reached(self))

    def handle(self, record: LogRecord) -> None:
        """Gives `record` to every handler of this logger and of those above it; without one, to the log."""
        if self.disabled or not self.filter(record):
            return
        for handler in _reached(self) or [_LAST_RESORT]:
            if record.levelno >= handler.level:
                handler.handle(record)

    def log(
        self,
        level: int,
        msg: Any,
        *args: Any,
        exc_info: Any = None,
        extra: Any = None,
        stack_info: bool = False,
        stacklevel: int = 1,
    ) -> None:
        """One record at `level`."""
        if self.isEnabledFor(level):
            self.handle(LogRecord(self.name, level, msg, args, exc_info=exc_info, extra=extra))


def _reached(logger: Logger | None) -> list[Any]:
    found: list[Any] = []
    while logger is not None:
        found += logger.handlers
        logger = logger.parent if logger.propagate else None
    return found


class _State:
    disabled = -1


_PLAIN = Formatter()
_LAST_RESORT = StreamHandler()
_LAST_RESORT.formatter = Formatter(_BASIC_FORMAT)
_ROOT = Logger("root", WARNING)
_LOGGERS: dict[str, Logger] = {}


def get_logger(name: str | None = None) -> Logger:
    """The logger of this name. Loggers that its name says are above it are made too."""
    if not name or name == "root":
        return _ROOT
    if name not in _LOGGERS:
        above = name.rpartition(".")[0]
        _LOGGERS[name] = Logger(name, parent=get_logger(above))
    return _LOGGERS[name]


def basic_config(
    *,
    level: Any = None,
    format: str | None = None,  # noqa: A002 -- the library's name
    datefmt: str | None = None,
    style: str = "%",
    stream: Any = None,
    handlers: Any = None,
    force: bool = False,
    **others: Any,
) -> None:
    """`logging.basicConfig`: without effect when the root logger has handlers, unless `force`."""
    if others.get("filename") is not None:
        raise RefusedCall("logging to a file is not available", "leave filename out: lines go to the log")
    if force:
        _ROOT.handlers.clear()
    if _ROOT.handlers:
        return
    formatter = Formatter(_BASIC_FORMAT if format is None else format, datefmt, style)
    for handler in handlers or [StreamHandler(stream)]:
        if handler.formatter is None:
            handler.setFormatter(formatter)
        _ROOT.addHandler(handler)
    if level is not None:
        _ROOT.setLevel(level)


def disable(level: Any = CRITICAL) -> None:
    """`logging.disable`."""
    _State.disabled = number_of(level)


NAMES: dict[str, Any] = {
    **LEVELS,
    "Filter": Filter,
    "Formatter": Formatter,
    "Handler": Handler,
    "LogRecord": LogRecord,
    "Logger": Logger,
    "NullHandler": NullHandler,
    "StreamHandler": StreamHandler,
    "basicConfig": basic_config,
    "disable": disable,
    "getLevelName": get_level_name,
    "getLogger": get_logger,
    "fatal": _ROOT.critical,
    "getLoggerClass": lambda: Logger,
    "log": _ROOT.log,
    "root": _ROOT,
    **{name: getattr(_ROOT, name) for name in "debug info warning warn error critical exception".split()},
}

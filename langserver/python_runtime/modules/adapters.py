"""What `logging` has besides loggers: adapters, names of levels, and what makes no difference here."""

from __future__ import annotations

from typing import Any, Final

from langserver.python_runtime.modules.bylevel import ByLevel
from langserver.python_runtime.modules.loglines import LEVELS, add_level_name


class LoggerAdapter(ByLevel):
    """`logging.LoggerAdapter`: a logger, and what each of its records is told besides."""

    def __init__(self, logger: Any, extra: Any = None, merge_extra: bool = False) -> None:
        self.logger = logger
        self.extra = extra
        self.merge_extra = merge_extra

    def process(self, msg: Any, kwargs: Any) -> tuple[Any, Any]:
        """For classes of the program: the message and the keywords of each call, as they should be."""
        given = kwargs.get("extra") if self.merge_extra else None
        kwargs["extra"] = {**(self.extra or {}), **given} if given else self.extra
        return msg, kwargs

    @property
    def name(self) -> Any:
        """The logger's."""
        return self.logger.name

    def log(self, level: Any, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One record at `level`."""
        if self.isEnabledFor(level):
            msg, kwargs = self.process(msg, kwargs)
            self.logger.log(level, msg, *args, **kwargs)

    def isEnabledFor(self, level: Any) -> bool:
        """Whether a record of this level is shown."""
        return bool(self.logger.isEnabledFor(level))

    def setLevel(self, level: Any) -> None:
        """The logger's."""
        self.logger.setLevel(level)

    def getEffectiveLevel(self) -> int:
        """The logger's."""
        return int(self.logger.getEffectiveLevel())

    def hasHandlers(self) -> bool:
        """The logger's."""
        return bool(self.logger.hasHandlers())


def get_level_names_mapping() -> dict[str, int]:
    """`logging.getLevelNamesMapping`."""
    return dict(LEVELS)


def shutdown() -> None:
    """`logging.shutdown`: every line is sent when it is written."""


def capture_warnings(capture: bool) -> None:
    """`logging.captureWarnings`: warnings are lines of the log in any case."""


NAMES: Final[dict[str, Any]] = {
    "BASIC_FORMAT": "%(levelname)s:%(name)s:%(message)s",
    "LoggerAdapter": LoggerAdapter,
    "addLevelName": add_level_name,
    "captureWarnings": capture_warnings,
    "getLevelNamesMapping": get_level_names_mapping,
    "shutdown": shutdown,
}

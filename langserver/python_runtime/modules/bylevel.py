"""One method a level: what loggers and their adapters have in common."""

from __future__ import annotations

from typing import Any

from langserver.python_runtime.modules.loglines import CRITICAL, DEBUG, ERROR, INFO, WARNING


class ByLevel:
    """For what has a method `log(level, msg, ...)`."""

    def debug(self: Any, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One record."""
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self: Any, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One record."""
        self.log(INFO, msg, *args, **kwargs)

    def warning(self: Any, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One record."""
        self.log(WARNING, msg, *args, **kwargs)

    warn = warning

    def error(self: Any, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One record."""
        self.log(ERROR, msg, *args, **kwargs)

    def critical(self: Any, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One record."""
        self.log(CRITICAL, msg, *args, **kwargs)

    fatal = critical

    def exception(self: Any, msg: Any, *args: Any, **kwargs: Any) -> None:
        """One record with the traceback of the exception being handled."""
        self.log(ERROR, msg, *args, **{"exc_info": True, **kwargs})

"""`warnings`: each is a line of the log, unless the program's own filters say otherwise."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from langserver.python_runtime import sources
from langserver.python_runtime.faces import shown
from langserver.python_runtime.modules.printing import stderr
from langserver.python_runtime.tracebacks import name_of, text_of
from langserver.python_runtime.userclasses import is_class

_ACTIONS = frozenset({"default", "error", "ignore", "always", "all", "module", "once"})


@dataclass(frozen=True, slots=True)
class _Filter:
    action: str
    message: re.Pattern[str] | None
    category: type
    line: int

    def fits(self, text: str, category: type, line: int) -> bool:
        return (
            issubclass(category, self.category)
            and (self.message is None or self.message.match(text) is not None)
            and self.line in {0, line}
        )


@dataclass(frozen=True, slots=True)
class WarningMessage:
    """What `catch_warnings(record=True)` collects."""

    message: Warning
    category: Any
    filename: str
    lineno: int


class _State:
    filters: tuple[_Filter, ...] = ()
    seen: set[tuple[str, type, int]] = set()  # noqa: RUF012 -- one process, one task
    recorded: list[WarningMessage] | None = None


def deliver(message: Warning, category: type, line: int, *, says_line: bool = False) -> None:
    """Does with a warning what the filters say. `line` is the program's, 0 if unknown. Raises it as an error if so."""
    text = text_of(message)
    action = next((each.action for each in _State.filters if each.fits(text, category, line)), "default")
    if action == "ignore":
        return
    if action == "error":
        raise message
    if action not in {"always", "all"}:
        key = (text, category, line if action == "default" else 0)
        if key in _State.seen:
            return
        _State.seen.add(key)
    if _State.recorded is not None:
        _State.recorded.append(WarningMessage(message, shown(category), sources.label(), line))
        return
    place = f" (line {line})" if says_line and line else ""
    stderr().write(f"{name_of(category)}: {text}{place}\n")


def warn(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **_: Any) -> None:
    """`warnings.warn`. Raises TypeError for a category that is no warning."""
    if issubclass(type(message), Warning):
        category = type(message)
    elif category is None:
        category = UserWarning
    _check_category(category)
    told = message if issubclass(type(message), Warning) else category(message)
    deliver(told, category, sources.place_now(stacklevel)[0])


def _check_category(category: Any) -> None:
    if not is_class(category) or not issubclass(category, Warning):
        raise TypeError("category must be a Warning subclass")


def filterwarnings(  # noqa: PLR0917 -- the library's parameters
    action: str, message: str = "", category: Any = Warning, module: str = "", lineno: int = 0, append: bool = False
) -> None:
    """`warnings.filterwarnings`; every module is the program's, so `module` makes no difference."""
    if action not in _ACTIONS:
        raise ValueError(f"invalid action: {action!r}")
    _check_category(category)
    new = _Filter(action, re.compile(message, re.IGNORECASE) if message else None, category, lineno)
    others = tuple(each for each in _State.filters if each != new)
    _State.filters = (*others, new) if append else (new, *others)


def simplefilter(action: str, category: Any = Warning, lineno: int = 0, append: bool = False) -> None:
    """`warnings.simplefilter`."""
    filterwarnings(action, category=category, lineno=lineno, append=append)


def resetwarnings() -> None:
    """`warnings.resetwarnings`."""
    _State.filters = ()


class catch_warnings:  # noqa: N801 -- the library's name
    """`warnings.catch_warnings`: filters set inside end with it; with `record` the warnings are collected in a list."""

    def __init__(
        self,
        *,
        record: bool = False,
        module: Any = None,
        action: str | None = None,
        category: Any = Warning,
        lineno: int = 0,
        append: bool = False,
    ) -> None:
        self._record = record
        self._filter = None if action is None else (action, category, lineno, append)

    def __enter__(self) -> list[WarningMessage] | None:
        _check_manager(self)
        self._before = _State.filters, _State.seen, _State.recorded
        _State.seen = set()
        if self._record:
            _State.recorded = []
        if self._filter is not None:
            simplefilter(*self._filter)
        return _State.recorded if self._record else None

    def __exit__(self, *_: object) -> None:
        _check_manager(self)
        _State.filters, _State.seen, _State.recorded = self._before


def _check_manager(manager: Any) -> None:
    # Called unbound, it would else write into whatever object it is given.
    if not issubclass(type(manager), catch_warnings):
        raise TypeError("catch_warnings is needed")


def formatwarning(message: Any, category: Any, filename: Any, lineno: Any, line: Any = None) -> str:
    """`warnings.formatwarning`; the source line is shown if it is given."""
    shown_line = f"  {line.strip()}\n" if line else ""
    return f"{filename}:{lineno}: {name_of(category)}: {message}\n{shown_line}"


NAMES: dict[str, Any] = {
    "catch_warnings": catch_warnings,
    "filterwarnings": filterwarnings,
    "formatwarning": formatwarning,
    "resetwarnings": resetwarnings,
    "simplefilter": simplefilter,
    "warn": warn,
}

"""`sys`, as far as it tells of the language and not of the interpreter: numbers, texts, streams of the log."""

from __future__ import annotations

import operator
import platform
import sys
from collections.abc import Iterable
from typing import Any, Final, NoReturn

from langserver.python_runtime.faces import shown
from langserver.python_runtime.modules import printing

# The stack of a child is 8 MiB and grows no more: code that recurses through C takes near a kilobyte of it a level.
_DEEPEST: Final = 10_000


class Stream:
    """`sys.stdout` or `sys.stderr`: what is written goes where `print` writes."""

    __slots__ = ("_write",)

    encoding = "utf-8"
    errors = "strict"

    def __init__(self, name: str) -> None:
        self._write = printing.stdout if name == "stdout" else printing.stderr

    def write(self, text: str) -> int:
        """Takes text; returns its number of characters."""
        written: int = self._write().write(text)
        return written

    def writelines(self, lines: Iterable[str]) -> None:
        """Takes several texts."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """There is nothing to wait for."""

    def isatty(self) -> bool:
        """It is a log."""
        return False

    def writable(self) -> bool:
        """It is there to be written to."""
        return True


def exit_(status: Any = None, /) -> NoReturn:
    """`sys.exit`. Raises SystemExit, which ends the task as an error: a program ends by returning."""
    raise SystemExit(status)


def exc_info() -> tuple[Any, Any, Any]:
    """`sys.exc_info`."""
    error = sys.exception()
    return (None, None, None) if error is None else (shown(type(error)), error, error.__traceback__)


def setrecursionlimit(limit: int, /) -> None:
    """`sys.setrecursionlimit`, at most 10,000: a larger one is taken for that."""
    sys.setrecursionlimit(min(operator.index(limit), _DEEPEST))  # exact: a number of the program's own might lie to min


def set_int_max_str_digits(maxdigits: int) -> None:
    """`sys.set_int_max_str_digits`."""
    sys.set_int_max_str_digits(operator.index(maxdigits))


NAMES: Final[dict[str, Any]] = {
    "byteorder": sys.byteorder,
    "exc_info": exc_info,
    "exception": sys.exception,
    "exit": exit_,
    "float_info": sys.float_info,
    "float_repr_style": sys.float_repr_style,
    "get_int_max_str_digits": sys.get_int_max_str_digits,
    "getdefaultencoding": sys.getdefaultencoding,
    "getrecursionlimit": sys.getrecursionlimit,
    "getsizeof": sys.getsizeof,
    "hash_info": sys.hash_info,
    "hexversion": sys.hexversion,
    "int_info": sys.int_info,
    "intern": sys.intern,
    "maxsize": sys.maxsize,
    "maxunicode": sys.maxunicode,
    "platform": sys.platform,
    "set_int_max_str_digits": set_int_max_str_digits,
    "setrecursionlimit": setrecursionlimit,
    "stderr": Stream("stderr"),
    "stdout": Stream("stdout"),
    "version": platform.python_version(),
    "version_info": sys.version_info,
}
exit_.__name__ = exit_.__qualname__ = "exit"

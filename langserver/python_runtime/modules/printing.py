"""print and pprint: text that becomes log lines."""

from __future__ import annotations

import pprint as library
from typing import Any

from langserver.python_runtime.logs import STDOUT


def print_(*args: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False) -> None:
    """`print`: to the log, or to any object with a `write` method."""
    sep = " " if sep is None else sep
    end = "\n" if end is None else end
    text = str.join(sep, [str(each) for each in args])  # TypeError for a sep that is no string
    if file is None:
        STDOUT.write(text + end)
        return
    file.write(text)
    file.write(end)
    if flush:
        file.flush()


def pprint(object: Any, stream: Any = None, *args: Any, **kwargs: Any) -> None:  # noqa: A002 -- the library's name
    """`pprint.pprint`."""
    print_(library.pformat(object, *args, **kwargs), file=stream)


def pp(object: Any, *args: Any, sort_dicts: bool = False, **kwargs: Any) -> None:  # noqa: A002 -- the library's name
    """`pprint.pp`."""
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)


PPRINT: dict[str, Any] = {
    "isreadable": library.isreadable,
    "isrecursive": library.isrecursive,
    "pformat": library.pformat,
    "pp": pp,
    "pprint": pprint,
    "saferepr": library.saferepr,
}
print_.__name__ = print_.__qualname__ = "print"

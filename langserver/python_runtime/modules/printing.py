"""print, pprint and where they print to: text that becomes log lines, or goes where the program redirects it."""

from __future__ import annotations

import pprint as library
from typing import Any, Final

from langserver.python_runtime.logs import STDERR, STDOUT


class _To:
    """Where text goes now."""

    stdout: Any = STDOUT
    stderr: Any = STDERR


def stdout() -> Any:
    """What takes the place of `sys.stdout`."""
    return _To.stdout


def stderr() -> Any:
    """What takes the place of `sys.stderr`."""
    return _To.stderr


def print_(*args: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False) -> None:
    """`print`: to the log, or to any object with a `write` method."""
    sep = " " if sep is None else sep
    end = "\n" if end is None else end
    text = str.join(sep, [str(each) for each in args])  # TypeError for a sep that is no string
    file = _To.stdout if file is None else file
    if file is STDOUT:
        STDOUT.write(text + end)
        return
    file.write(text)
    file.write(end)
    if flush:
        file.flush()


class _Redirect:
    """A context manager, to be entered again and again."""

    _stream = ""

    def __init__(self, new_target: Any) -> None:
        self._target = new_target
        self._before: list[Any] = []

    def __enter__(self) -> Any:
        _check(self)
        self._before.append(getattr(_To, self._stream))
        setattr(_To, self._stream, self._target)
        return self._target

    def __exit__(self, *_: object) -> None:
        _check(self)
        setattr(_To, self._stream, self._before.pop())


def _check(manager: Any) -> None:
    # Called unbound, it would else take its names from whatever object it is given.
    if type(manager) not in (redirect_stdout, redirect_stderr):
        raise TypeError("redirect_stdout or redirect_stderr is needed, no class derived from it")


class redirect_stdout(_Redirect):  # noqa: N801 -- the library's name
    """`contextlib.redirect_stdout`."""

    _stream = "stdout"


class redirect_stderr(_Redirect):  # noqa: N801 -- the library's name
    """`contextlib.redirect_stderr`."""

    _stream = "stderr"


def pprint(object: Any, stream: Any = None, *args: Any, **kwargs: Any) -> None:  # noqa: A002 -- the library's name
    """`pprint.pprint`."""
    print_(library.pformat(object, *args, **kwargs), file=stream)


def pp(object: Any, *args: Any, sort_dicts: bool = False, **kwargs: Any) -> None:  # noqa: A002 -- the library's name
    """`pprint.pp`."""
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)


class PrettyPrinter:
    """`pprint.PrettyPrinter`: the functions of this module with options that stay."""

    def __init__(
        self, indent: int = 1, width: int = 80, depth: int | None = None, stream: Any = None, **options: Any
    ) -> None:
        self._options = {"indent": indent, "width": width, "depth": depth, **options}
        self._stream = stream
        library.pformat(None, **self._options)  # raises what is to be raised

    def pformat(self, object: Any) -> str:  # noqa: A002 -- the library's name
        """The text."""
        return library.pformat(object, **self._options)

    def pprint(self, object: Any) -> None:  # noqa: A002 -- the library's name
        """Prints it."""
        print_(self.pformat(object), file=self._stream)

    isreadable = staticmethod(library.isreadable)
    isrecursive = staticmethod(library.isrecursive)


CONTEXTLIB: Final[dict[str, Any]] = {"redirect_stderr": redirect_stderr, "redirect_stdout": redirect_stdout}
PPRINT: Final[dict[str, Any]] = {
    "PrettyPrinter": PrettyPrinter,
    "isreadable": library.isreadable,
    "isrecursive": library.isrecursive,
    "pformat": library.pformat,
    "pp": pp,
    "pprint": pprint,
    "saferepr": library.saferepr,
}
print_.__name__ = print_.__qualname__ = "print"

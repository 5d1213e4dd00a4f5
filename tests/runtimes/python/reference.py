"""The tables of docs/python.md, made from the code: `python -m tests.runtimes.python.reference` writes them anew."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from langserver.python_runtime import builtins as guarded
from langserver.python_runtime import catalog, grammar, instead, modules, names
from tests.runtimes.python.conftest import loaded

PAGE: Final = Path(__file__).parents[3] / "docs" / "python.md"


def tables() -> dict[str, str]:
    """The text of each table, by the name in its marks. The runtime must be preloaded."""
    return {
        "builtins": _builtins(),
        "refused builtins": _rows(("builtin", "instead"), catalog.REFUSED_BUILTINS.items()),
        "modules": _modules(),
        "missing modules": _missing(),
        "never": _words(sorted(name for name in catalog.NEVER if not name.startswith("_"))),
        "methods": _words(sorted(names.DEFINABLE)),
        "closed": _words(
            sorted(name for name in names.FRAME_NAMES if name[:2] in {"f_", "tb", "gi", "cr", "ag", "co", "ce"})
        ),
        "versions": _rows(
            ("Python", "adds"), ((f"{a}.{b}", "; ".join(news)) for (a, b), news in sorted(grammar.NEWS.items()))
        ),
    }


def between(page: str, name: str) -> str:
    """What stands in `page` where the table `name` belongs."""
    return page.partition(f"<!-- {name} -->\n")[2].partition(f"\n<!-- end of {name} -->")[0]


def _builtins() -> str:
    import builtins

    plain = [name for name in guarded._ORDINARY.split() if not name.startswith("__")]
    exceptions = [name for name, value in vars(builtins).items() if _is_exception(value)]
    return (
        f"{_words(sorted(plain))}\n\nThe exceptions: {_words(sorted({name for name in exceptions if name in _ALWAYS}))}"
    )


# Those of the oldest Python that is supported: the page must not depend on who writes it.
_ALWAYS: Final = frozenset(
    """
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
    BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
    ConnectionResetError DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup
    FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning
    IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
    ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError
    PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning
    RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit
    TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
    UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError
    """.split()
)


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def _modules() -> str:
    rows = []
    for name in catalog.MODULES:
        if name not in _WHOLE:
            rows.append((name, _words(sorted(modules.public_names(name)))))
        else:
            rows.append((name, "all of it"))
    return _table(("module", "names"), rows)


# Listed by the library itself, so that they differ between versions.
_WHOLE: Final = frozenset({"cmath", "itertools", "math", "operator"})


def _words(words: Iterable[str]) -> str:
    return " ".join(f"`{word}`" for word in words)


def _missing() -> str:
    """One row for each advice, as many share one."""
    names_of: dict[str, list[str]] = {}
    for name, text in sorted(instead.INSTEAD.items()):
        names_of.setdefault(text, []).append(f"`{name}`")
    return _table(("module", "instead"), [(" ".join(found), text) for text, found in names_of.items()])


def _rows(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    return _table(head, [(left if head[0] == "Python" else f"`{left}`", right) for left, right in rows])


def _table(head: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    lines = [f"| {head[0]} | {head[1]} |", "| --- | --- |"]
    return "\n".join([*lines, *(f"| {left} | {right} |" for left, right in rows)])


def write() -> None:
    """Puts the tables into the page."""
    page = PAGE.read_text("utf-8")
    for name, table in tables().items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, mark, rest = page.partition(begin)
        assert mark, name
        page = before + begin + table + "\n" + end + rest.partition(end)[2]
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    loaded(policy=True)
    write()

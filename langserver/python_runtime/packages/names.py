"""Which names LANG_PYTHON_MODULES may hold. Import-light: the server reads it."""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from typing import Final

from langserver.python_runtime.catalog import MODULES, NEVER

VARIABLE: Final = "LANG_PYTHON_MODULES"
MEANT: Final = (
    "names of modules to import, separated by commas, other than those that tasks have anyway"
    " and those that only lead to the host or into the interpreter, as os does"
)

_TAKEN: Final = frozenset(name.partition(".")[0] for name in MODULES)
_OURS: Final = "langserver"
# No task computes anything with these: who names one wants what the layers of the kernel refuse, or a way around the
# policy. Packages that use them inside are loaded all the same. Other modules of the library, as xml, may be named.
_NOT_FOR_TASKS: Final = NEVER | frozenset(
    """
    _io _imp atexit builtins code codeop concurrent faulthandler gc importlib inspect nt os pathlib pdb pkgutil
    posixpath resource runpy select selectors shutil site socket socketserver ssl sysconfig tempfile tracemalloc
    """.split()
)


def parse_modules(text: str) -> tuple[str, ...]:
    """The names in `text`, each once. Raises ValueError for what is no name, and for what a task has anyway."""
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for name in names:
        parts = name.split(".")
        if not all(part.isascii() and part.isidentifier() and not keyword.iskeyword(part) for part in parts):
            raise ValueError(f"{name!r} is no name of a module")
        if parts[0] in _TAKEN:
            raise ValueError(f"tasks have {parts[0]!r} anyway")
        if parts[0] in _NOT_FOR_TASKS or parts[0] == _OURS or parts[0].startswith("__"):
            raise ValueError(f"{name!r} is not for tasks")
    return names


def void(names: Iterable[str]) -> str:
    """What everybody is told of the policy where these packages are loaded."""
    return f"void in python: {', '.join(names)} ({VARIABLE}) reach past it; the layers of the kernel hold"

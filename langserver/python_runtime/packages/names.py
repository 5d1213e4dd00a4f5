"""Which names LANG_PYTHON_MODULES may hold. Import-light: the server reads it."""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from typing import Final

from langserver.python_runtime.catalog import MODULES

VARIABLE: Final = "LANG_PYTHON_MODULES"
MEANT: Final = "names of modules to import, separated by commas, other than those that tasks have anyway"

_TAKEN: Final = frozenset(name.partition(".")[0] for name in MODULES)
_OURS: Final = "langserver"


def parse_modules(text: str) -> tuple[str, ...]:
    """The names in `text`, each once. Raises ValueError for what is no name, and for what a task has anyway."""
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for name in names:
        parts = name.split(".")
        if not all(part.isascii() and part.isidentifier() and not keyword.iskeyword(part) for part in parts):
            raise ValueError(f"{name!r} is no name of a module")
        if parts[0] in _TAKEN:
            raise ValueError(f"tasks have {parts[0]!r} anyway")
        if parts[0] == _OURS or parts[0].startswith("__"):
            raise ValueError(f"{name!r} is not for tasks")
    return names


def void(names: Iterable[str]) -> str:
    """What everybody is told of the policy where these packages are loaded."""
    return f"void in python: {', '.join(names)} ({VARIABLE}) reach past it; the layers of the kernel hold"

"""Which modules user code may import, and what to say of those it may not. Import-light: the server reads it too."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from difflib import get_close_matches

from langserver.python_runtime.instead import INSTEAD, can_be_added, instead_of

MODULES: tuple[str, ...] = (
    "abc",
    "array",
    "ast",
    "asyncio",
    "asyncio.exceptions",
    "base64",
    "binascii",
    "bisect",
    "bz2",
    "calendar",
    "cmath",
    "codecs",
    "collections",
    "collections.abc",
    "colorsys",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "email",
    "email.utils",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "graphlib",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "html.entities",
    "html.parser",
    "http",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "json.decoder",
    "json.encoder",
    "keyword",
    "logging",
    "lzma",
    "math",
    "mimetypes",
    "numbers",
    "operator",
    "pprint",
    "queue",
    "quopri",
    "random",
    "re",
    "secrets",
    "shlex",
    "statistics",
    "string",
    "struct",
    "sys",
    "textwrap",
    "time",
    "tomllib",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "urllib",
    "urllib.parse",
    "uuid",
    "warnings",
    "weakref",
    "xml",
    "xml.etree",
    "xml.etree.ElementTree",
    "zipfile",
    "zlib",
    "zoneinfo",
)

# Imports that can only mean processes, threads or native code are refused before the program runs: code that falls
# back when such an import fails would otherwise learn nothing, and a reviewer sees the line. Everything else that is
# missing is an ImportError at run time, so that `try: import requests` works as it does elsewhere.
NEVER: frozenset[str] = frozenset(
    {
        "_ctypes",
        "_posixshmem",
        "_posixsubprocess",
        "_thread",
        "ctypes",
        "fcntl",
        "mmap",
        "multiprocessing",
        "posix",
        "pty",
        "signal",
        "subprocess",
        "threading",
    }
)

# What the operator adds (LANG_PYTHON_MODULES), known in the zygote and its children only.
_offered: list[str] = []


def offer(names: tuple[str, ...]) -> None:
    """Adds modules, by dotted names, with all that is below them and the packages that they are in."""
    _offered.extend(names)


def offers(name: str) -> bool:
    """Whether `name` is an added module, below one, or a package of one."""
    return any(f"{name}.".startswith(f"{each}.") or f"{each}.".startswith(f"{name}.") for each in _offered)


# Builtins that raise a refusal when they are called, and what to write instead.
REFUSED_BUILTINS: dict[str, str] = {
    "open": "there are no files here; pass the data in as input, or use io.StringIO",
    "eval": "use ast.literal_eval for data, or write the expression out",
    "exec": "write the code out",
    "compile": "write the code out, or use re.compile for patterns",
    "input": "there is no console; the task's input is the variable `inputs`",
    "breakpoint": "use print(...): it writes to the log",
    "globals": "use a dictionary of your own",
    "locals": "use a dictionary of your own",
}

# How alike a misspelt name must be: `datetme` and `maths` are meant, `toml` for html and `timeit` for time are not.
_ALIKE = 0.82

# What programs import most, for those who look for something that is not there.
_LIKELY = "json, re, math, datetime, collections, itertools, functools, random, statistics, csv, decimal, hashlib"

# Modules inside packages of MODULES that are not available: known in the zygote and its children only.
_inside: set[str] = set()


def leave_out(names: Iterable[str]) -> None:
    """Remembers dotted names of modules that the library has, so that to ask for one is no misspelling."""
    _inside.update(set(names) - set(MODULES))


def is_left_out(module: str) -> bool:
    """Whether `module`, which is not available, is one that somebody may mean: asking for it is a matter of policy.

    Anything else is a mistake of the program.
    """
    parts = module.split(".")
    if not all(parts) or any(part.startswith("_") for part in parts) or instead_of(module) or offers(parts[0]):
        return True
    if parts[0] in MODULES:
        return any(".".join(parts[:length]) in _inside for length in range(2, len(parts) + 1))
    return parts[0] in sys.stdlib_module_names or parts[0] in sys.modules


def listing() -> str:
    """Some of the available modules, and how many more there are."""
    more = len(MODULES) - len(_LIKELY.split(", "))
    added = "".join(f"{name}, " for name in _offered[:5])
    return f"available: {added}{_LIKELY} and {more} more, which docs/python.md and GetCapabilities list"


def without(module: str) -> tuple[str, str]:
    """What to say of `module` (a dotted name), which is not available: a sentence, and what to do without it."""
    missing = f"the module {module!r} is not available"
    if not is_left_out(module):
        missing = f"No module named {module!r}"
    instead = instead_of(module)
    if instead:
        if can_be_added(module):
            instead += "; the operator of the server can add it with LANG_PYTHON_MODULES"
        return missing, f"{instead}; {listing()}"
    meant = get_close_matches(module, (*MODULES, *_offered), n=1, cutoff=_ALIKE)
    if meant:
        return missing, f"did you mean {meant[0]!r}?"
    absent = get_close_matches(module, INSTEAD, n=1, cutoff=_ALIKE)
    if absent:
        return missing, f"{absent[0]!r} is not available either: {INSTEAD[absent[0]]}; {listing()}"
    return missing, listing()

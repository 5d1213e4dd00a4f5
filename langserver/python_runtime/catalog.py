"""Which modules user code may import, and what to say of those it may not. Import-light: the server reads it too."""

from __future__ import annotations

from difflib import get_close_matches

MODULES: tuple[str, ...] = (
    "abc",
    "ast",
    "asyncio",
    "base64",
    "binascii",
    "bisect",
    "calendar",
    "cmath",
    "collections",
    "collections.abc",
    "colorsys",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
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
    "html.parser",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "logging",
    "math",
    "numbers",
    "operator",
    "pprint",
    "random",
    "re",
    "secrets",
    "shlex",
    "statistics",
    "string",
    "struct",
    "textwrap",
    "time",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "urllib",
    "urllib.parse",
    "uuid",
    "warnings",
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

_NETWORK = "this code has no network: fetch it in an HTTP step before this one and pass it in as input"
_FILES = "this code has no files: pass the data in as input, and use io.StringIO or io.BytesIO where a file is expected"
_PROCESSES = "this code is one process and one thread: use a loop, or asyncio.gather for several coroutines"

_INSTEAD: dict[str, str] = {
    "sys": "there is no interpreter to look at; print(...) writes to the log",
    "os": "there are no files, processes or environment variables; pass what you need in as input",
    "importlib": "import the module with an import statement",
    "pickle": "use json",
    "marshal": "use json",
    "inspect": "there are no frames or source files to look at",
    "queue": "use collections.deque or heapq",
    "array": "use a list, or struct for binary data",
    "xml": "pass the data in as JSON",
    "pandas": "use csv, statistics and plain lists and dicts",
    "numpy": "use math, statistics and plain lists",
}
_INSTEAD |= dict.fromkeys(("requests", "httpx", "aiohttp", "socket", "ssl", "http", "smtplib", "ftplib"), _NETWORK)
_INSTEAD |= dict.fromkeys(("urllib.request", "urllib3", "websockets", "select", "selectors"), _NETWORK)
_INSTEAD |= dict.fromkeys(("pathlib", "tempfile", "shutil", "glob", "sqlite3", "fileinput", "linecache"), _FILES)
_INSTEAD |= dict.fromkeys(("threading", "multiprocessing", "subprocess", "concurrent", "signal"), _PROCESSES)


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


def without(module: str) -> tuple[str, str]:
    """What to say of `module` (a dotted name), which is not available: a sentence, and what to do without it."""
    missing = f"the module {module!r} is not available"
    instead = _INSTEAD.get(module) or _INSTEAD.get(module.partition(".")[0], "")
    if not instead:
        meant = get_close_matches(module, MODULES, n=1, cutoff=_ALIKE)
        instead = f"did you mean {meant[0]!r}?" if meant else ""
    return (f"{missing}: {instead}", instead) if instead else (missing, "available: " + ", ".join(MODULES))

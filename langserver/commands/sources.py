"""What a user names on the command line: the file with the code, its runtime, the input."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import PurePath

from langserver.commands.exits import UsageError
from langserver.errors import RequestError
from langserver.zygote.request import canonical_runtime

STDIN = "-"
_MOST_BYTES = 64 << 20  # above every limit: what is over its own is refused with both sizes
_SUFFIXES = {".py": "python", ".js": "js", ".mjs": "js", ".cjs": "js"}


@dataclass(frozen=True, slots=True)
class Source:
    """Code, its canonical runtime, and its label in error texts (empty: the runtime's own)."""

    runtime: str
    code: str = field(repr=False)
    label: str


def read_source(file: str, runtime: str | None) -> Source:
    """Reads `file` (`-`: standard input). Raises UsageError, RequestError for what a server would refuse as well."""
    name = canonical_runtime(runtime) if runtime is not None else _runtime_of(file)
    return Source(name, _text(_read(file), file, "utf-8-sig"), "" if file == STDIN else PurePath(file).name)


def read_input(given: str) -> str:
    """The input itself, or that of the file named after an `@`. Raises UsageError, RequestError."""
    if not given.startswith("@"):
        # Bytes that are no text to the locale are half surrogates here (PEP 383). Others no argument can hold.
        return _text(given.encode("utf-8", "surrogateescape"), "--input", "utf-8")
    if given == "@":
        raise UsageError("--input @ names no file: write @FILE")
    return _text(_read(given[1:]), given[1:], "utf-8")


def _runtime_of(file: str) -> str:
    if file == STDIN:
        raise UsageError(
            "the code comes from standard input: say which language it is with --runtime python or --runtime js"
        )
    suffix = PurePath(file).suffix.lower()
    if suffix not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        raise UsageError(f"{file}: its name does not end in one of {known}: add --runtime python or --runtime js")
    return _SUFFIXES[suffix]


def _read(file: str) -> bytes:
    try:
        if file == STDIN:
            if sys.stdin is None:  # `<&-`
                raise UsageError("standard input is closed")
            data = sys.stdin.buffer.read(_MOST_BYTES + 1)
        else:
            with open(file, "rb") as opened:
                data = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}") from None
    if len(data) > _MOST_BYTES:
        raise RequestError(f"{file} has more than {_MOST_BYTES} bytes")
    return data


def _text(data: bytes, file: str, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise RequestError(f"{file} is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}") from None

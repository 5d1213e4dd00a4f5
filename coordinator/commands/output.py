"""What commands print. Text of tasks, and of whoever can write to a stream, never steers a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import Final, TextIO

import msgspec

from coordinator.commands.exits import NotWritten

# C0, DEL, C1, the marks of bidirectional text (Unicode UAX #9), line and paragraph separators.
_STEERING: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def line(text: str, stream: TextIO | None = None) -> None:
    """Writes one line at once. A reader that went away is no reason to stop. Raises NotWritten."""
    out = stream or sys.stdout
    try:
        out.write(_harmless(text) + "\n")
        out.flush()
    except OSError as error:
        # What is still buffered has to go somewhere, or the interpreter complains at its exit (docs of `signal`).
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, out.fileno())
        os.close(nowhere)
        if out is sys.stdout and not isinstance(error, BrokenPipeError):
            raise NotWritten(f"standard output: {error.strerror}") from None


def json_line(fields: Mapping[str, object]) -> None:
    """One JSON object on one line; characters that steer are escaped, which JSON reads as the same."""
    line(msgspec.json.encode(fields).decode())


def trouble(text: str) -> None:
    """Why the command could not do its work."""
    line(f"coordinator: {text}", sys.stderr)


def raw(text: bytes) -> msgspec.Raw:
    """A JSON value to be written as it is, but on one line; null where there is none."""
    return msgspec.Raw(msgspec.json.format(text or b"null", indent=-1))


def _harmless(text: str) -> str:
    return _STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)

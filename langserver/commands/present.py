"""Text for a person: colours only where a terminal shows them, and nothing of a task that could steer the terminal."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TextIO

from langserver.core.claims import Failure

# C0 but tab and newline, DEL, C1, the marks of bidirectional text (Unicode UAX #9), line and paragraph separators.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Colour(StrEnum):
    """SGR parameters (ECMA-48, 8.3.117)."""

    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    BOLD = "1"
    FAINT = "2"


_STREAM_COLOURS = {"stderr": Colour.RED, "error": Colour.RED, "warn": Colour.YELLOW, "debug": Colour.FAINT}


class OutputError(Exception):
    """A stream takes nothing: a full disk."""


@dataclass(frozen=True, slots=True)
class Page:
    """One output stream. `steerable` says that a terminal reads it."""

    stream: TextIO
    steerable: bool
    coloured: bool

    @classmethod
    def of(cls, stream: TextIO) -> Page:
        """Finds out what `stream` is. NO_COLOR (no-color.org) and a dumb terminal turn colours off."""
        terminal = stream.isatty()
        coloured = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(stream, terminal, coloured)

    def line(self, text: str = "") -> None:
        """Writes one line at once. A reader that went away is no reason to stop. Raises OutputError."""
        try:
            self.stream.write(text + "\n")
            self.stream.flush()
        except BrokenPipeError:
            self._give_up()
        except OSError as error:
            self._give_up()
            raise OutputError(f"the output could not be written: {error.strerror}") from None

    def _give_up(self) -> None:
        """What is still buffered has to go somewhere, or the interpreter complains at its exit (docs of `signal`)."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.stream.fileno())
        os.close(nowhere)

    def safe(self, text: str) -> str:
        """Text of a task: on a terminal, characters that would steer it are shown as JSON escapes."""
        return _STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text) if self.steerable else text

    def paint(self, text: str, colour: Colour) -> str:
        """The text in a colour, where there are any."""
        return f"\x1b[{colour}m{text}\x1b[0m" if self.coloured else text

    def log_line(self, stream: str, text: str) -> None:
        """One line that a task logged."""
        colour = _STREAM_COLOURS.get(stream)
        shown = self.safe(text)
        self.line(self.paint(shown, colour) if colour else shown)

    def failure(self, failure: Failure, label: str) -> None:
        """`label:line:column: KIND: message`, then traceback and hint where there are any."""
        head = f"{self.paint(f'{place(failure, label)}: ', Colour.BOLD)}{self.paint(failure.kind.name, Colour.RED)}"
        self.line(f"{head}: {self.safe(_said(failure))}")
        if trace := _beyond(failure):
            self.line(self.safe(trace))
        if failure.hint and failure.hint not in failure.message:
            self.line(f"{self.paint('hint:', Colour.GREEN)} {self.safe(failure.hint)}")

    def trouble(self, text: str) -> None:
        """Why the command could not do its work."""
        self.line(f"{self.paint('langserver:', Colour.RED)} {self.safe(text)}")

    def warning(self, text: str) -> None:
        """Something the reader should know."""
        self.line(f"{self.paint('warning:', Colour.YELLOW)} {self.safe(text)}")


def place(failure: Failure, label: str) -> str:
    """Where it happened, as far as that is known."""
    if not failure.line:
        return label
    return f"{label}:{failure.line}:{failure.column}" if failure.column else f"{label}:{failure.line}"


def _beyond(failure: Failure) -> str:
    """The traceback without a last line that only says the message again."""
    trace, _, last = failure.traceback.rstrip("\n").rpartition("\n")
    return trace if last in (failure.message, f"{failure.type}: {failure.message}") else failure.traceback.rstrip("\n")


def _said(failure: Failure) -> str:
    """The message, with the exception's type before it unless it says so itself."""
    if not failure.type or failure.message.startswith(failure.type):
        return failure.message
    return f"{failure.type}: {failure.message}" if failure.message else failure.type
